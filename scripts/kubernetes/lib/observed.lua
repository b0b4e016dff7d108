-- Reports whether the controller has observed the current spec. Where it has observed an older
-- one the change is Pending. Where it has observed none there may be none.
local function observed(obj)
  local seen = kube.get(obj, "status.observedGeneration", 0)
  if seen == kube.get(obj, "metadata.generation", 0) then
    return obj.status ~= nil
  end
  return false, seen > 0 and "Pending" or nil
end

return observed
