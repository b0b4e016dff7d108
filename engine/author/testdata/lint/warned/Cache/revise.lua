-- string-number-compare, by the schema and by the functions that return the values.
function ReviseReplica(object, replicas)
  local count = #kube.get(object, "spec.hosts", {})
  if object.spec.replicas == "3" or object.spec.mode == 3 then
  --             ^ string-number-compare
  --                                            ^ string-number-compare
    return object
  elseif count == "0" or tostring(replicas) ~= 3 then
  --           ^ string-number-compare
  --                                        ^ string-number-compare
    return object
  elseif object.spec.port == "http" or object.spec.port == 80 then
    return object -- a port is a number or a name
  elseif tostring(replicas) == "3" or tonumber(object.spec.mode) == 3 then
    return object
  end
  object.spec.replicas = replicas
  return object
end
