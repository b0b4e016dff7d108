-- A SparkConnect: a server, which is the driver, and executors. Written for spark-operator
-- 2.2 to 2.4 (v1alpha1) and Spark 3.4 to 4.0.

local application = require("lib.application")
local settings = require("lib.settings")

local connect = {}

-- Without a number Spark starts two executors (SchedulerBackendUtils).
local instances = 2

-- The operator makes the pod of the server of its template, and adds no resources: cores and
-- memory of the server are settings of Spark only (mutateServerPod). The pods of executors are
-- made by Spark, as those of an application.
function connect.components(obj)
  local spec = kube.get(obj, "spec")
  if not spec then
    return kube.list()
  end
  return {
    kube.component("server", 1, kube.get(spec, "server.template")),
    kube.component("executor", application.executors(spec, instances), { spec = application.pod(spec, "executor") }),
  }
end

-- All pods, each as large as the largest.
function connect.replicas(obj)
  local components = connect.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

function connect.dependencies(obj)
  local spec, namespace = kube.get(obj, "spec"), kube.get(obj, "metadata.namespace", "default")
  if not spec then
    return kube.list()
  end
  return settings.existing(kube.concat(
    kube.getPodDependencies(kube.get(spec, "server.template", {}), namespace),
    kube.getPodDependencies({ spec = application.pod(spec, "executor") }, namespace),
    settings.references(spec.sparkConf, namespace)))
end

return connect
