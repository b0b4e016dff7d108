local health = require("lib.health")

-- Controllers since 0.37 keep a history, and the reason of Ready is what they did last
-- (InstallSucceeded, UpgradeSucceeded, TestSucceeded). For older ones, which know only
-- v2beta1, these reasons are those of other conditions.
function InterpretHealth(obj)
  if obj.apiVersion == "helm.toolkit.fluxcd.io/v2beta1" and not kube.get(obj, "status.history") then
    return health.ready(obj, { ReconciliationSucceeded = true })
  end
  return health.ready(obj)
end
