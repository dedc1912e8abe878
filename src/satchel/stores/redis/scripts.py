"""What happens on the server in one step: a save over an expected version, a removal, the clearing up after an expiry.

Each script gets the session's key and the four indexes: the names, the sessions that go on and those that are over by their last change,
and those that go on by the end of their time. It must not know what a snapshot means.
"""

from __future__ import annotations

SAVE = """
local held = redis.call('HMGET', KEYS[1], 'version', 'json')
local name, expect, version, json, score, over, lasting = unpack(ARGV)
if held[2] ~= json then
  -- The very same text again is this save, repeated because its answer was lost.
  local fits = expect == '0'
  if held[1] then fits = expect ~= '0' and held[1] == expect end
  if not fits then return held[1] or '0' end
  redis.call('HSET', KEYS[1], 'version', version, 'json', json)
end
local mine, others = KEYS[3], KEYS[4]
if over == '1' then mine, others = KEYS[4], KEYS[3] end
redis.call('ZADD', KEYS[2], 0, name)
redis.call('ZADD', mine, score, name)
redis.call('ZREM', others, name)
redis.call('ZREM', KEYS[5], name)
redis.call('PERSIST', KEYS[1])
if lasting ~= '' then
  if over == '1' then
    redis.call('PEXPIRE', KEYS[1], lasting)
  else
    local now = redis.call('TIME')
    redis.call('ZADD', KEYS[5], now[1] * 1000 + math.floor(now[2] / 1000) + lasting, name)
  end
end
return false
"""
"""Returns nothing when it is written, else the version that stands (0: none)."""

DROP = """
local name, expect = unpack(ARGV)
if expect ~= '' then
  local held = redis.call('HGET', KEYS[1], 'version')
  if held ~= expect then return held or '0' end
end
redis.call('DEL', KEYS[1])
for place = 2, 5 do redis.call('ZREM', KEYS[place], name) end
return false
"""
"""Returns nothing when it is gone, else the version that stands (0: none)."""

CLEAR = """
if redis.call('EXISTS', KEYS[1]) == 0 then
  for place = 2, 5 do redis.call('ZREM', KEYS[place], ARGV[1]) end
end
return false
"""
"""Takes a name out of the indexes whose session has expired."""
