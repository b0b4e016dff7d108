-- The pods of an application: a driver, and executors. Written for spark-operator 2.0 to
-- 2.4.

local memory = require("lib.memory")
local settings = require("lib.settings")
local specOf = require("lib.specOf")

local application = {}

-- Whether the number of executors changes: by the spec, or by the settings, which reach Spark
-- too (IsDynamicAllocationEnabled of the operator reads both).
local function isDynamic(spec, conf)
  return kube.get(spec, "dynamicAllocation.enabled") or
    string.lower(conf["spark.dynamicAllocation.enabled"] or "") == "true"
end

-- With dynamic allocation Spark starts with the largest of the numbers that it is given, and
-- else with instances, or the number that it has by default.
function application.executors(spec, default)
  local conf, dynamic = spec.sparkConf or {}, spec.dynamicAllocation or {}
  local instances = kube.get(spec, "executor.instances") or tonumber(conf["spark.executor.instances"])
  if not isDynamic(spec, conf) then
    return instances or default
  end
  local function number(field)
    return dynamic[field] or tonumber(conf["spark.dynamicAllocation." .. field]) or 0
  end
  return math.max(instances or 0, number("initialExecutors"), number("minExecutors"))
end

local function cores(own, conf, role)
  return own.coreRequest or conf["spark.kubernetes." .. role .. ".request.cores"]
    or own.cores or conf["spark." .. role .. ".cores"] or 1
end

-- The pod that Spark creates for a role: its template, with the fields of the spec merged
-- over it. Spark asks for cores and memory in the first container whatever the template has.
function application.pod(spec, role)
  local own, conf = spec[role] or {}, spec.sparkConf or {}
  local base = kube.get(own, "template.spec", {})
  local requests = { cpu = cores(own, conf, role), memory = memory(spec, conf, role) }
  if own.gpu then
    requests[own.gpu.name] = own.gpu.quantity
  end
  local templated = base.containers
  if not templated or #templated == 0 then
    templated = { {} }
  end
  local containers = kube.concat(templated, own.sidecars)
  local main = containers[1]
  containers[1] = kube.merge(main, {
    env = kube.concat(main.env, own.env),
    envFrom = kube.concat(main.envFrom, own.envFrom),
    resources = { requests = requests },
  })
  return kube.merge(base, {
    affinity = own.affinity,
    containers = containers,
    initContainers = kube.concat(base.initContainers, own.initContainers),
    nodeSelector = kube.merge(spec.nodeSelector, own.nodeSelector),
    priorityClassName = own.priorityClassName,
    serviceAccountName = own.serviceAccount,
    tolerations = kube.concat(base.tolerations, own.tolerations),
    volumes = kube.concat(base.volumes, spec.volumes),
  })
end

-- Nothing without a spec.
function application.components(obj)
  local spec = specOf(obj)
  if not spec then
    return kube.list()
  end
  return {
    kube.component("driver", 1, { spec = application.pod(spec, "driver") }),
    kube.component("executor", application.executors(spec, 1), { spec = application.pod(spec, "executor") }),
  }
end

-- All pods, each as large as the largest.
function application.replicas(obj)
  local components = application.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

-- The names that objects of a list, or of a map, have.
local function names(objects)
  local list = {}
  for _, object in pairs(objects or {}) do
    table.insert(list, object.name)
  end
  return list
end

local function named(kind, namespace, list)
  return kube.references(kind, namespace, unpack(list))
end

-- What the pods of a role refer to, by a pod's own fields and by those of Spark.
local function references(spec, role, namespace)
  local own = spec[role] or {}
  return kube.concat(
    kube.getPodDependencies({ spec = application.pod(spec, role) }, namespace),
    named("ConfigMap", namespace, names(own.configMaps)),
    named("Secret", namespace, names(own.secrets)),
    named("Secret", namespace, names(own.envSecretKeyRefs)))
end

function application.dependencies(obj)
  local spec, namespace = specOf(obj), kube.get(obj, "metadata.namespace", "default")
  if not spec then
    return kube.list()
  end
  return settings.existing(kube.concat(
    references(spec, "driver", namespace),
    references(spec, "executor", namespace),
    settings.references(spec.sparkConf, namespace),
    named("Secret", namespace, spec.imagePullSecrets or {}),
    kube.references("ConfigMap", namespace, spec.sparkConfigMap),
    kube.references("ConfigMap", namespace, spec.hadoopConfigMap)))
end

return application
