-- Reports whether the controller has observed the current spec.
local function observed(obj)
  return obj.status ~= nil
    and kube.get(obj, "status.observedGeneration", 0) == kube.get(obj, "metadata.generation", 0)
end

return observed
