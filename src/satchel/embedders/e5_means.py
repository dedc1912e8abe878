"""The mean vectors that e5 takes off: data, made by scripts/make_e5_means.py from MemoryBank-SiliconFriend (MIT).

It knows no text.
"""

from __future__ import annotations

import base64
from functools import cache

import numpy as np
from numpy.typing import NDArray

_MEANS = {
    "query": (
        "JSzIoCGrMqe+LYSpLiReKHosIB04J4SfxywRpF6rjSf3KwuqhKhYrLsmpyhpqnYmjyz7KCSqfinpKUiteKnvp1kp3Ko2LVEnralWqs8o7anrphcjUSxILZQq"
        "8SvMpwYrpKx7pfunqikXKY8rIhEnrAmoqaxErZUsDy3QnhIhCiVsLPkobiuRKE6pzqcaphYraySIqaQikySsKe2n6SYCq5utiqkdptgnD6uQKuIq/6p4K3GX"
        "nirMKhip5KnHrNyoraZhKmYt+51XLC+ms6VXrHGpqirALA2pnigAqYCqeyksKLYph6wBqByoFKx8K4GqUioHqkCpNKHTqoOrmCgAKuqg1SPgKcUojaG2IQ0n"
        "9iwrqPUlSwHjp9ao/SmCqUoqtikgKbIrRqjoKraoUJl7peAqGCldKPao0abNqcwpBSreqi2sfKyMqN+sqKz8KYMqLaufpDqn8ijiqlgmXxqBK4amyyXMLVUq"
        "OqFYpeupKqm9rB6mtqk2JgMpEqKnoQkqS6yZqyao/iQUrOIpRynvKSuVO6xqJPEj2yp3pP2sMCdJqFYovCherautpiv4rFil6xRyKkCqSSi1KM6lfCXbrF6m"
        "SyxEJ5aowqngKJGsfaYfqEetNavgraSaIinAKXasa6H/qQsle6y3K72os6jMKKCh5SpnK2qsnqgPrWeoXyljLD4sE6rLKCEmrqZNLQYraysWHwCrr582qwWl"
        "3aqwG0krdKlsqJKmKizcLdyqgKjDKJYpJiJhKwQqzKc7qCEsH6cPm0ed26cjKoen9ClvJF+bZittrcopkqj/nRMmpBzprSUq7yCql7ImOSxtLdIpk6oyq7Ql"
        "FicTnzWXMKzspVqqqafCp6GsxCp8KIWsmqj6LJkojBxxqb+r6iq4qzumMazYKX+oQKsBJ24sE6i+KoWmU6v0JRSoS6jmKCQiM619JSAsHKcmKK+mXqrnKTcq"
        "SqpGqDQrRSszLJ0lIiHWHDwo36zXK6ooi6t9IlSnCajgrFEqcaiYqcolLC3yKY0rjCoVpv6qf6ldLHmslyZLJycrnCRqKacZWyysqI2ocSgyLGGoa6klrUgo"
        "jyHDqXkosil/K2ynxCKgKIGtiKoNpoIpBqvnKpUnZalMqukqEajBphQo+it6KWcsOystqd8qDavopd6qQCvDJq8szCj2q36saKu0qhQszyrcqF4iDB3bK6wq"
        "ACnSKYGscKZ8qjcq/5Crp9keviiYJEirLCdoqV+soai6ppEo/aorLGEqz6p5LEaoRixvKKysPqr2rfipoam3Kh0tmqcPLKCfWCUSpzSpCSa/KVOq/yraqVCo"
        "Vyg3K2grlKp9qF2qtanqKbyoTSxLp0WqxqlxqjmoDCUYKyYp1SGDKdwoKii7JrIpNCyVqTkhiyCUpvCpCCtaqf8oEyziKCYs16WhLCml1ybnpNwpKCgbKCSo"
        "96r/q9MozSm7qlqrdKvipCGrJahfKUoqtahOpMmrJCj+q2kpdqOJKlipGimWLI8oGKf6pl6o1qrXqy+pPau5JgEpeaicnqEpF6sNrZeqvygAq1Eq8Sp4KQ+b"
        "bqfFJo0ndCprIjWseydtqoEouysmrQWuDixqqmmj7pjMKgypJydDK3CmDCnarLis9CmCKHiqAqh6KqGrfafuqWutuanWqPimDSmoKPSoE6qVqLwqlKxbKkan"
        "l6eDKAWYPyQGKxmsRqmZqVKoSir6KlAqp6r+J7cabKimLWcroCjEKGOpNaSmqueo7KwhHJomGal0pp6nliq7LPWo4acFKoAoOihaLYsmD6VmptYsmqg0oock"
        "SqpzK8aacCuuJ2+gsCr8qaAqDat3qLEkGSrEq/ImCiR8JwMl9irkKn0rRqq2qq4q9ChIotaahav4qS2rg6khp7mrcyZoJ0Ot8qi8KLMhdiSiqQmskipWrFCh"
        "7KjOKkyoXKzxI8wl1KqfKBWlKqqFKWGoP6khKVYri638JrIrVaeZKK6md6pFJfEpnqrlpiEq9Cu4KzUsZ6N2jQIotqr7KicqdqsHJfCnLKnPqIoqsKoYqbgi"
        "Cy0oJ88q"
    ),
    "passage": (
        "TioToWqq5KgRLROoFSL/JFwtQ5tHJVWgYy0PpAetnScIK8uqEag0qw4oRChQq2AmCi0jKUyqXym9KD2t4Kgep8woXqrkLDQolai0ql8oRaynpBMlbSs+LVIq"
        "CSz7p2sraazcpTGlESlDKDktBp9UrBWqzKxSrW8s1Sy0GoUhbCF2LScprSmZKJipVKSmpSEtXiE0qq4e9iI6KbComChjqkiuYakap5cmm6v7KXUqXKupKz4Z"
        "jSvrK3ynHarvrIqqTKmZKoksYZuTLPSmJKWrqyKpPitWLD+qeidCqfSqpikWKK8olqzMqEincKsAKzSrYSgaqj6o5KCfqo2qwCh4KZ6kMhfhKAYo5olIJBsm"
        "Oy0dqUwmIaM0qQGooCowqdEqriofKLIqJ6miKmCozB/6pU4qRihJKeupP6cNqzIpZCkRqp6sm6xlqCmt8qvjJ1IrYKu5mrqnRClJqSwlnyCVKsyljRyTLfoq"
        "bJe3pESqMahArKCifKh5JdUpwqA1oqYqAqw7q7qoHRjkqw0q/SnTKmMj8KuiJYElLyojqLmsRijbqEYo3yg7rQuuAiwbrPkbZBkSLC2r0B68Jy+kGCRRrWuk"
        "sizIJbSpEKo0Jjesi6Q7p6WtHazwrXMhuCi/K1+sApJNrEohe6yFLNepAahqKGKf1CkXK3mrkaplrXeoDyqVLBYt9qlRKBIlyqe0LckrDSyRIeeq7Jx2q0Wk"
        "IKqooSktcauhqC6mqStvLTasL6hqJ0QoyiJUKtIp2aZ/pasqjaU1njQUiqHsKW2oSyseJE2j2yu6rREqE6flojQoyZ76rh4qgiG3D2En9CppLq0snaqeqpUc"
        "NSeTm9gjuKqapm2p9aWOpoGrVioQKcmrtKgjLTglphn/p0urRCrTqkOdK6w5KiKrfaozKNUs2qW8KtWo56tkJy6oOaWjJk0mr6q5H44sgKaBKkKpEqrjKkUq"
        "gavfpXEr4St7LIsm0SSTlacpZqwPLFYoZqw6n8iobKpTrQIqfagAqTEjOi2WKVorvyhOpFurOKo1LPSqRSbKJOgstSAsKDUbtSy+qCerpihLK9qpGanYq7sn"
        "FSZcqX4oDCq6K5WlfCWRKHStJKqspWsoy6owKh0lKqf/qngqSqowowgnECsJKoAr1ir9qZ0q3KmopvSpMCosJEEuVigGrM6tHawbrAMrMiudqJ0iMRrwLK8r"
        "/CbDKaerkaWSq54sP5rVqGOS7ShjITasgyjiqNas6qj2pqMnO6oiLG8q/6vcLLCnqytYJmaso6oSrTWrhKuaK2gsD6jCLIeieid1qeWnbCVXKUeqVirlqZep"
        "giifKtMoFasoqNCrmqY3KACpiiunqBmq5ahaqj2jPybOKs4opZSnKM0nzihsKSEpjS14qJwf/pwnqKyqYyx3p+UqjixuKJIqaKWzLH6kLSjdoBspWyUBKAyp"
        "B6zrqx0loikcqiyrN6wAoh2sRaiwJFgrHaoXpRasySgiq/cnhpoaKSCpdycXLBYqE6ShpdKnzahLqpCmEKruJZArPalapMko56utrIirkCN/qkoq5Cv7Krkd"
        "36aKKfwn/yemo46qmChWpyIonCsNrWuu8StfpbSaKh4WLG2qGh0ZKiWldygWrXWsJitrKOariagMKeuq46aaqF6tPasLq4WgjSgIKz+pF6lGq70p/KzNKuWn"
        "0aeQJfwfUiQEK4OqHKqdqsSpeCvuKw0seaoMKHAjzajZLcwr3ihyKNaqUKazq+qoH6zKnfIpC6sxq+6mHSnlK7Opz6fTJSUncCa6LJwmVZ7umzAssadLpJoj"
        "xqpHKo6lVS1GKDeediv+qVkqN6abqnkmNCjTrKYmJSYFKGsl6CdILN4si6pHq58oAyo7onkerKlNq6apfKk2onurVCRhKTiseqiAKQCCxSWYqD6riiqLq9sk"
        "7aUmK+qohKybIjojQaoJKQaqD6wjLHWpgKXGIJssyao4IV8sxaVDKzWpQ6qaKBMqGqpmnogqtSwfLD8stp0AHVkp6KnHK00p9qpcn5qoIqwDqvsqYaq0qVAi"
        "ey00KCMr"
    ),
}


@cache
def means(kind: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the means of Chinese and of other text, for the kind `query` or `passage`."""
    chinese, other = np.frombuffer(base64.b64decode(_MEANS[kind]), "<f2").astype(np.float32).reshape(2, -1)
    return chinese, other
