local archive = require("lib.archive")
local instances = require("lib.instances")

-- Phases in which a cluster serves and the operator has nothing to do until its user or a
-- limit lets it go on (CloudNativePG 1.22 to 1.27, api/v1/cluster_types.go, Phase...).
local serving = {
  ["Cluster in healthy state"] = true,
  ["Cluster upgrade delayed"] = true,
  ["Waiting for user action"] = true,
}

-- Phases that the operator cannot leave by itself.
local failed = {
  ["Cluster cannot execute instance online upgrade due to missing architecture binary"] = true,
  ["Cluster cannot proceed to reconciliation due to an error while interacting with plugins"] = true,
  ["Cluster cannot proceed to reconciliation due to an unknown plugin being required"] = true,
  ["Cluster has incomplete or invalid image catalog"] = true,
  ["Cluster is unrecoverable and needs manual intervention"] = true,
  ["Unable to create required cluster objects"] = true,
}

-- Reports whether the operator was asked to let the cluster be.
local function suspended(obj)
  local loop = kube.get(obj, { "metadata", "annotations", "cnpg.io/reconciliationLoop" })
  return loop == "disabled" or instances.hibernated(obj)
end

-- Reports whether the cluster has no instance left that serves, after it once had a primary.
local function down(status)
  return (status.currentPrimary or "") ~= "" and (status.readyInstances or 0) == 0
end

-- Every other phase is work of the operator: a switchover, a failover within the cluster, an
-- upgrade. A cluster that fails and whose data is nowhere else is not moved.
function InterpretHealth(obj, failover)
  local status = obj.status or {}
  local phase = status.phase or ""
  if suspended(obj) then
    return true
  end
  if phase == "" then
    return false
  end
  if failed[phase] or down(status) then
    if failover and params.withoutBackup == "stay" and not archive.exists(obj) then
      return nil
    end
    return false
  end
  return serving[phase]
end
