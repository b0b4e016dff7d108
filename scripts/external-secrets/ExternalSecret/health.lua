-- The generation that was synchronized, the first part of "2-<hash of the metadata>"
-- (ctrlutil.GetResourceVersion); nil before the first time.
local function synchronized(obj)
  return tonumber(string.match(kube.get(obj, "status.syncedResourceVersion", ""), "^(%d+)%-"))
end

-- Ready is True with SecretSynced, and False with SecretSyncedError or once the Secret was
-- deleted (External Secrets 0.9 and later). An object that is never refreshed again keeps
-- the version of its first time.
function InterpretHealth(obj)
  local ready = kube.condition(obj, "Ready")
  if not ready then
    return false
  end
  if ready.status == "False" then
    return false
  end
  if ready.status ~= "True" then
    return nil
  end
  local once = kube.get(obj, "spec.refreshPolicy") == "CreatedOnce"
  if not once and (synchronized(obj) or 0) < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  return true
end
