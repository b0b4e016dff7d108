-- The whole pod of a component, as the operator and Flink make it. Written for
-- flink-kubernetes-operator 1.7 to 1.14 (FlinkConfigBuilder) and Flink 1.15 to 2.2.

local configured = require("lib.configured")
local memory = require("lib.memory")
local options = require("lib.options")
local podTemplate = require("lib.template")

-- The container that Flink runs in; others of the template are sidecars.
local main = "flink-main-container"

-- The options of Flink for the cores of a pod, by role, the newest name first.
local cores = {
  jobmanager = { "kubernetes.jobmanager.cpu.amount", "kubernetes.jobmanager.cpu" },
  taskmanager = { "taskmanager.cpu.cores", "kubernetes.taskmanager.cpu.amount", "kubernetes.taskmanager.cpu" },
}

-- The value of the first of several options that has one.
local function first(config, names)
  for _, name in ipairs(names) do
    if config[name] ~= nil then
      return config[name]
    end
  end
  return nil
end

-- The cores that Flink asks for where the spec names none: one for a job manager, and for a
-- task manager one for each slot.
local function configuredCores(config, role, slots)
  return tonumber(first(config, cores[role]))
    or role == "taskmanager" and slots or 1
end

-- What the spec asks for the main container. Since 1.14 resources, which is what containers
-- have, is read in place of resource; a limit is a request where there is none.
local function asked(component)
  local resources = kube.get(component, "resources")
  if resources then
    return kube.merge(resources.limits, resources.requests)
  end
  local resource = kube.get(component, "resource", {})
  return { cpu = resource.cpu, memory = resource.memory, ["ephemeral-storage"] = resource.ephemeralStorage }
end

-- Resources of task managers that are options: of a GPU, for example, the amount, and the
-- name that Kubernetes has for it (KubernetesUtils.getExternalResourceConfigKeys).
local function external(config)
  local requests = {}
  for _, name in ipairs(options.list(config, "external-resources")) do
    local prefix = "external-resource." .. name .. "."
    local key = config[prefix .. "kubernetes.config-key"]
    if key then
      requests[key] = config[prefix .. "amount"]
    end
  end
  return requests
end

-- The requests of the main container: what the spec asks for goes over Flink's configuration
-- and both over the template. Memory and cores of the template are not read by Flink.
local function requests(spec, component, role, slots)
  local request, config = asked(component), options.flat(spec.flinkConfiguration)
  request.cpu = request.cpu or configuredCores(config, role, slots)
  request.memory = request.memory and memory(request.memory) or configured(config, role)
  return role == "taskmanager" and kube.merge(external(config), request) or request
end

-- The pod that Flink makes for a role.
local function podOf(spec, component, role, slots)
  local template = podTemplate(spec, component)
  local pod = kube.get(template, "spec", {})
  local containers, own = pod.containers or {}, nil
  for _, container in ipairs(containers) do
    own = container.name == main and container or own
  end
  if not own then
    own = { name = main }
    table.insert(containers, own)
  end
  own.resources = kube.merge(own.resources, { requests = requests(spec, component, role, slots) })
  pod.containers = containers
  return pod
end

-- What a pod of a role, jobmanager or taskmanager, asks for; slots are those of a task manager.
return function(spec, component, role, slots)
  local pod = podOf(spec, component, role, slots)
  local needs = kube.accuratePodRequirements({ spec = pod }) or {}
  needs.priorityClassName = pod.priorityClassName
  return needs
end
