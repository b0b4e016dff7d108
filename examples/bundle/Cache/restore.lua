function RestoreState(desired, state)
  local snapshot = state["cache.example.com/snapshot"]
  if snapshot ~= nil then
    desired.spec = desired.spec or {}
    desired.spec.startFrom = snapshot
  end
  return desired
end
