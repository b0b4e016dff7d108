-- The RayCluster that a spec describes: one head, and groups of workers.
-- Written for KubeRay 1.0 to 1.6.

local cluster = {}

-- The longest name that a component may have.
local longest = 32

-- How many pods a group has, within its bounds, as KubeRay counts them.
function cluster.workers(group)
  if group.suspend then
    return 0
  end
  local replicas = math.max(group.replicas or 0, group.minReplicas or 0)
  return math.min(replicas, group.maxReplicas or replicas) * (group.numOfHosts or 1)
end

local function groups(spec)
  return spec and spec.workerGroupSpecs or {}
end

-- A group without a name, or with one that is too long, goes by its number.
local function name(group, i)
  local own = group.groupName or ""
  return (own == "" or #own > longest) and "worker-" .. i or own
end

-- A component for each group of workers.
function cluster.groups(spec)
  local components = kube.list()
  for i, group in ipairs(groups(spec)) do
    table.insert(components, kube.component(name(group, i), cluster.workers(group), group.template))
  end
  return components
end

-- The head and the groups; nothing without a spec.
function cluster.components(spec)
  local head = spec and kube.component("ray-head", 1, kube.get(spec, "headGroupSpec.template"))
  return kube.concat({ head }, cluster.groups(spec))
end

-- Containers that KubeRay adds to the pods: the autoscaler and the collector of logs.
-- Name and password of the store of the head stand in variables as well.
local function added(spec)
  local autoscaler = spec.autoscalerOptions or {}
  local store = spec.gcsFaultToleranceOptions or {}
  local collector = kube.get(spec, "historyServerOptions.collectorOptions.env")
  local env = kube.concat(autoscaler.env, collector, { store.redisUsername }, { store.redisPassword })
  return { spec = { containers = { { env = env, envFrom = autoscaler.envFrom } } } }
end

-- What the pods of a cluster refer to.
function cluster.dependencies(spec, namespace)
  if not spec then
    return kube.list()
  end
  local all = kube.concat(
    kube.getPodDependencies(kube.get(spec, "headGroupSpec.template", {}), namespace),
    kube.getPodDependencies(added(spec), namespace),
    kube.references("Secret", namespace, kube.get(spec, "authOptions.secretName")),
    kube.references("PersistentVolumeClaim", namespace,
      kube.get(spec, "gcsFaultToleranceOptions.storage.claimName")))
  for _, group in ipairs(groups(spec)) do
    all = kube.concat(all, kube.getPodDependencies(group.template or {}, namespace))
  end
  return all
end

-- Spreads a number of pods over the groups, in proportion to those they have. The bounds
-- of a group give way; one of several hosts takes whole replicas only.
function cluster.spread(spec, pods)
  local total, open = 0, {}
  for _, group in ipairs(groups(spec)) do
    if not group.suspend then
      table.insert(open, { group = group, weight = cluster.workers(group) })
      total = total + cluster.workers(group)
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
end

return cluster
