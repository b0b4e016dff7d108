local scale = require("lib.scale")

-- An autoscaler of the member owns the number, where the label says so.
function Retain(desired, observed)
  local number = scale.of(observed)
  if number and kube.retainsReplicas(desired) then
    return scale.to(desired, number)
  end
  return desired
end
