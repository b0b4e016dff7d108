-- Near misses of unknown-field: maps with free keys, and what is no field of the object.
function GetState(object)
  local labels = kube.get(object, "spec.labels", {})
  local found = { fase = labels.anything }
  local ready = kube.condition(object, "Ready")
  return { a = found.fase, b = kube.get(object, { "metadata", "labels", "x/y" }), c = ready.status }
  --                                                                                  ^ nil-index-risk
end
