-- What a VirtualMachine asks for, as virt-controller (KubeVirt 1.0 to 1.7) asks for its pod.

local machine = {}

-- The spec of an instance: of one itself, or of the one that is created from a machine.
function machine.instance(obj)
  return kube.get(obj, obj.kind == "VirtualMachineInstance" and "spec" or "spec.template.spec", {})
end

-- The run strategy. running is its older form, and without both the machine is halted. An
-- instance of its own runs once.
function machine.strategy(obj)
  if obj.kind == "VirtualMachineInstance" then
    return "Once"
  end
  local spec = obj.spec or {}
  return spec.runStrategy or (spec.running and "Always" or "Halted")
end

-- A machine is one pod, or none where it is never to run.
local function count(obj)
  return machine.strategy(obj) == "Halted" and 0 or 1
end

-- The CPUs that the pod asks for, from those in resources and those visible to the guest.
local function cpus(domain, named)
  local cpu = domain.cpu or {}
  local visible = (cpu.cores or 1) * (cpu.sockets or 1) * (cpu.threads or 1)
  local threads = kube.get(domain, "ioThreads.supplementalPoolThreadCount", 0)
  if not cpu.dedicatedCpuPlacement then
    local ratio = tonumber(params.cpuAllocationRatio)
    return named or string.format("%dm", math.ceil((visible + threads) * 1000 / ratio))
  end
  local topology = cpu.cores or cpu.sockets or cpu.threads
  local emulator = cpu.isolateEmulatorThread and 1 or 0
  return kube.resourceAdd(topology and visible or named or visible, threads + emulator)
end

-- What the pod asks for, without what virt-launcher needs itself. Memory in huge pages
-- is a resource of its own, and so are devices that are passed through.
local function resources(domain)
  local asked = kube.merge(kube.get(domain, "resources.limits"), kube.get(domain, "resources.requests"))
  local memory = domain.memory or {}
  local page = kube.get(memory, "hugepages.pageSize")
  asked.cpu = cpus(domain, asked.cpu)
  asked.memory = asked.memory or memory.guest or page
  if page then
    asked["hugepages-" .. page], asked.memory = memory.guest or asked.memory, nil
  end
  local devices = domain.devices or {}
  for _, device in ipairs(kube.concat(devices.gpus, devices.hostDevices)) do
    if device.deviceName then
      asked[device.deviceName] = (asked[device.deviceName] or 0) + 1
    end
  end
  return asked
end

-- An instance type defines CPUs and memory instead of the machine, and is not visible here.
local function requirements(obj)
  local instance = machine.instance(obj)
  local selector = kube.merge(instance.nodeSelector, { ["kubernetes.io/arch"] = instance.architecture })
  local asked = not kube.get(obj, "spec.instancetype") and resources(instance.domain or {}) or nil
  local needs = kube.accuratePodRequirements({
    spec = {
      nodeSelector = selector,
      tolerations = instance.tolerations,
      affinity = instance.affinity,
      containers = { { resources = { requests = asked } } },
    },
  })
  if instance.priorityClassName then
    needs = needs or {}
    needs.priorityClassName = instance.priorityClassName
  end
  return needs
end

function machine.replicas(obj)
  return count(obj), requirements(obj)
end

function machine.components(obj)
  return { { name = "vm", replicas = count(obj), replicaRequirements = requirements(obj) } }
end

return machine
