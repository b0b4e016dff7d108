-- nil-index-risk: a field that the schema has as optional, without any test of it.
function InterpretHealth(object)
  if object.status.address.ip == "" then
  --        ^ nil-index-risk
  --               ^ nil-index-risk
    return nil
  end
  -- The schema requires a volume, and has a default for the cache.
  return object.spec.volume.size ~= nil and object.spec.cache.size ~= nil
end
