-- The RayCluster that an object describes: one head, and groups of workers.
-- Written for KubeRay 1.0 to 1.6.

local cluster = {}

-- The longest name that a component may have.
local longest = 32

local paths = { RayCluster = "spec", RayJob = "spec.rayClusterSpec", RayService = "spec.rayClusterConfig" }

-- The spec of the cluster; nil where there is none, as of a RayJob for an existing cluster.
local function spec(obj)
  return kube.get(obj, paths[obj.kind])
end

-- How many pods a group has, within its bounds, as KubeRay counts them.
local function workers(group)
  if group.suspend then
    return 0
  end
  local replicas = math.max(group.replicas or 0, group.minReplicas or 0)
  return math.min(replicas, group.maxReplicas or replicas) * (group.numOfHosts or 1)
end

local function groups(own)
  return own and own.workerGroupSpecs or {}
end

-- A group without a name, or with one that is too long, is named by its number.
local function name(group, i)
  local own = group.groupName or ""
  return (own == "" or #own > longest) and "worker-" .. i or own
end

-- Adds a component for each group of workers.
local function addGroups(components, own)
  for i, group in ipairs(groups(own)) do
    table.insert(components, kube.component(name(group, i), workers(group), group.template))
  end
  return components
end

-- A component for each group of workers of an object.
function cluster.groups(obj)
  return addGroups(kube.list(), spec(obj))
end

-- The head and the groups; nothing without a spec. The pod that submits a RayJob is small
-- and soon gone; it does not count.
function cluster.components(obj)
  local own = spec(obj)
  if not own then
    return kube.list()
  end
  return addGroups(kube.list(kube.component("ray-head", 1, kube.get(own, "headGroupSpec.template"))), own)
end

-- All pods, each as large as the largest.
function cluster.replicas(obj)
  local components = cluster.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

-- Containers that KubeRay adds to the pods: the autoscaler and the collector of logs.
-- Name and password of the store of the head stand in variables as well.
local function added(own)
  local autoscaler = own.autoscalerOptions or {}
  local store = own.gcsFaultToleranceOptions or {}
  local collector = kube.get(own, "historyServerOptions.collectorOptions.env")
  local env = kube.concat(autoscaler.env, collector, { store.redisUsername }, { store.redisPassword })
  return { spec = { containers = { { env = env, envFrom = autoscaler.envFrom } } } }
end

-- What the pods of a cluster refer to.
function cluster.dependencies(obj)
  local own, namespace = spec(obj), kube.get(obj, "metadata.namespace", "default")
  if not own then
    return kube.list()
  end
  local all = kube.concat(
    kube.getPodDependencies(kube.get(own, "headGroupSpec.template", {}), namespace),
    kube.getPodDependencies(added(own), namespace),
    kube.references("Secret", namespace, kube.get(own, "authOptions.secretName")),
    kube.references("PersistentVolumeClaim", namespace,
      kube.get(own, "gcsFaultToleranceOptions.storage.claimName")))
  for _, group in ipairs(groups(own)) do
    all = kube.concat(all, kube.getPodDependencies(group.template or {}, namespace))
  end
  return all
end

-- The object with a number of pods divided over the groups, in proportion to those they
-- have. The bounds of a group are widened where needed; a group of several hosts takes
-- whole replicas only.
function cluster.revise(obj, pods)
  local total, open = 0, {}
  for _, group in ipairs(groups(spec(obj))) do
    if not group.suspend then
      table.insert(open, { group = group, weight = workers(group) })
      total = total + workers(group)
    end
  end
  local share, given = 0, 0
  for i, member in ipairs(open) do
    local group, hosts = member.group, member.group.numOfHosts or 1
    share = share + member.weight
    local upTo = total > 0 and share / total or i / #open
    local replicas = math.floor((math.floor(pods * upTo) - given) / hosts)
    given = given + replicas * hosts
    group.replicas = replicas
    group.minReplicas = group.minReplicas and math.min(group.minReplicas, replicas)
    group.maxReplicas = group.maxReplicas and math.max(group.maxReplicas, replicas)
  end
  return obj
end

return cluster
