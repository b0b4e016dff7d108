-- The RayCluster that an object describes: one head, and groups of workers; and the pod that
-- submits a job to it. Written for KubeRay 1.0 to 1.6.

local cluster = {}

-- The longest name that a component may have.
local longest = 32

local head, submitter = "ray-head", "submitter"

-- The path of the spec of the job, for kinds with jobs.
local jobs = { RayJob = "spec", RayCronJob = "spec.jobTemplate" }

local paths = {
  RayCluster = "spec",
  RayJob = "spec.rayClusterSpec",
  RayService = "spec.rayClusterConfig",
  RayCronJob = "spec.jobTemplate.rayClusterSpec",
}

-- The spec of the cluster; nil where there is none, as of a RayJob for an existing cluster.
local function spec(obj)
  return kube.get(obj, paths[obj.kind])
end

-- The spec of the job, nil for kinds without.
local function job(obj)
  return jobs[obj.kind] and kube.get(obj, jobs[obj.kind])
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

-- A group without a name, or with one that is too long or that of another component, is
-- named by its number.
local function name(group, i)
  local own = group.groupName or ""
  return (own == "" or #own > longest or own == head or own == submitter) and "worker-" .. i or own
end

local function requests(cpu, memory)
  return { requests = { cpu = cpu, memory = memory } }
end

-- What the container and the pod that submit a job ask for by default
-- (GetDefaultSubmitterContainer).
local submits = { resources = requests("500m", "200Mi") }

-- The containers that KubeRay adds to each pod: that which collects its logs for the history
-- server (buildCollectorContainer).
local function collectors(own)
  local options = kube.get(own, "historyServerOptions.collectorOptions")
  return options and kube.list({ resources = options.resources or requests("100m", "128Mi") })
end

-- Those that it adds to the head as well: the autoscaler (BuildAutoscalerContainer), and
-- what submits a job of SidecarMode.
local function heads(own, work)
  local all = kube.concat(collectors(own))
  if own.enableInTreeAutoscaling then
    table.insert(all, { resources = kube.get(own, "autoscalerOptions.resources") or requests("500m", "512Mi") })
  end
  if work and work.submissionMode == "SidecarMode" then
    table.insert(all, submits)
  end
  return all
end

-- A pod template with more containers.
local function with(template, more)
  if not more or #more == 0 then
    return template
  end
  return kube.merge(template, { spec = { containers = kube.concat(kube.get(template, "spec.containers"), more) } })
end

-- Adds a component for each group of workers.
local function addGroups(components, own)
  for i, group in ipairs(groups(own)) do
    table.insert(components, kube.component(name(group, i), workers(group), with(group.template, collectors(own))))
  end
  return components
end

-- The pod that submits a job follows its logs until it ends (BuildJobSubmitCommand), so it
-- lives as long as the pods of the cluster. Only the mode K8sJobMode has one, which is the
-- default.
local function addSubmitter(components, own, work)
  if params.submitter == "ignored" or (work.submissionMode or "K8sJobMode") ~= "K8sJobMode" then
    return components
  end
  if own or next(work.clusterSelector or {}) then
    local template = work.submitterPodTemplate or { spec = { containers = { submits } } }
    table.insert(components, kube.component(submitter, 1, template))
  end
  return components
end

-- The head, the groups, and of a job what submits it; nothing without a spec.
function cluster.components(obj)
  local own, work, components = spec(obj), job(obj), kube.list()
  if own then
    local template = with(kube.get(own, "headGroupSpec.template"), heads(own, work))
    components = addGroups(kube.list(kube.component(head, 1, template)), own)
  end
  return work and addSubmitter(components, own, work) or components
end

-- All pods, each as large as the largest. Of a RayService these are divided, with the head:
-- each cluster has one. The namespace is that of the quota that counts them.
function cluster.replicas(obj)
  local components = cluster.components(obj)
  local needs = kube.largestRequirements(components)
  if needs and obj.kind == "RayService" then
    needs.namespace = kube.get(obj, "metadata.namespace")
  end
  return kube.totalReplicas(components), needs
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
local function references(own, namespace)
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

-- What pods refer to, and of a job the cluster that it is to run in, if it is there already.
function cluster.dependencies(obj)
  local own, work, namespace = spec(obj), job(obj), kube.get(obj, "metadata.namespace", "default")
  local all = own and references(own, namespace) or kube.list()
  if not work then
    return all
  end
  all = kube.concat(all, kube.getPodDependencies(work.submitterPodTemplate or {}, namespace))
  local selected = kube.get(work, { "clusterSelector", "ray.io/cluster" })
  if selected then
    table.insert(all, { apiVersion = obj.apiVersion, kind = "RayCluster", namespace = namespace, name = selected })
  end
  return all
end

-- The groups that take workers, each with how many pods it has, and the sum of these.
local function open(obj)
  local total, list = 0, {}
  for _, group in ipairs(groups(spec(obj))) do
    if not group.suspend then
      table.insert(list, { group = group, weight = workers(group) })
      total = total + workers(group)
    end
  end
  return list, total
end

-- The share of pods that the group at a place gets: in proportion to its workers, rounded;
-- where no group has any, the same, and one more for the first ones.
local function shareOf(member, i, count, pods, total)
  if total > 0 then
    return math.floor(pods * member.weight / total + 0.5)
  end
  return math.floor(pods / count) + (i <= pods % count and 1 or 0)
end

-- Gives a group replicas. The bounds of a group are widened where needed.
local function give(group, replicas)
  group.replicas = replicas
  group.minReplicas = group.minReplicas and math.min(group.minReplicas, replicas)
  group.maxReplicas = group.maxReplicas and math.max(group.maxReplicas, replicas)
end

-- The object with a number of pods: one is the head, which each cluster has, and the others
-- are divided over the groups; the last group gets what is left. A group of several hosts
-- takes whole replicas only.
function cluster.revise(obj, pods)
  local members, total = open(obj)
  local wanted = math.max(pods - 1, 0)
  local left = wanted
  for i, member in ipairs(members) do
    local hosts = member.group.numOfHosts or 1
    local share = i == #members and left or math.min(shareOf(member, i, #members, wanted, total), left)
    local replicas = math.floor(share / hosts)
    give(member.group, replicas)
    left = left - replicas * hosts
  end
  return obj
end

-- Reports whether what a status says is about an older spec, where it says of which.
function cluster.isStale(obj)
  local generation = kube.get(obj, "metadata.generation", 0)
  return kube.get(obj, "status.observedGeneration", generation) < generation
end

return cluster
