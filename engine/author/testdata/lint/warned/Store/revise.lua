-- No case asks this one.
-- line missing-test-for-op
function ReviseReplica(object, replicas)
  object.spec.replicas = replicas
  return object
end
function InterpretHealth(object)
--       ^ wrong-entry-name
  return object ~= nil
end
function helper()
--       ^ unused
  return 1
end
