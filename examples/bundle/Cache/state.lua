-- The last snapshot is what a cache in another cluster starts from.
function GetState(obj)
  local snapshot = kube.get(obj, "status.lastSnapshot")
  if snapshot == nil then
    return nil
  end
  return {["cache.example.com/snapshot"] = snapshot}
end
