-- A claim waits for its first consumer, or for a volume that is made. One that is Lost had a volume.
function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase")
  return phase == "Bound", phase == "Pending" and "Pending" or nil
end
