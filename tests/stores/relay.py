"""A relay before a server on loopback: it ends TLS for a server that has none, and it loses answers when it is told to."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path


class Relay:
    """Passes bytes on between who connects and the server."""

    def __init__(self, port: int, context: ssl.SSLContext | None = None) -> None:
        self._target = port
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.lose_after: bytes | None = None
        """The connection that sends this is cut before its answer comes, once."""
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, plain: socket.socket) -> None:
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            stack.enter_context(plain)
            near = stack.enter_context(self._context.wrap_socket(plain, server_side=True)) if self._context else plain
            far = stack.enter_context(socket.create_connection(("127.0.0.1", self._target)))
            lost = threading.Event()
            answers = threading.Thread(target=self._answer, args=(far, near, lost), daemon=True)
            answers.start()
            with contextlib.suppress(OSError):
                while data := near.recv(65536):
                    if self.lose_after is not None and self.lose_after in data:
                        self.lose_after = None
                        lost.set()
                    far.sendall(data)
            with contextlib.suppress(OSError):
                far.shutdown(socket.SHUT_RDWR)
            answers.join()

    @staticmethod
    def _answer(far: socket.socket, near: socket.socket, lost: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while (data := far.recv(65536)) and not lost.is_set():
                near.sendall(data)
        # The thread that reads holds the socket open: this ends it.
        with contextlib.suppress(OSError):
            near.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()


@contextlib.contextmanager
def relaying(port: int, context: ssl.SSLContext | None = None) -> Iterator[Relay]:
    """Relay to a port while the block runs."""
    relay = Relay(port, context)
    try:
        yield relay
    finally:
        relay.close()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Make a certificate for 127.0.0.1 that signs itself; return its file and the server's side of TLS."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a test")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    shown, secret = folder / "certificate.pem", folder / "key.pem"
    shown.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.PrivateFormat.PKCS8
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, plain, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, secret)
    return shown, context
