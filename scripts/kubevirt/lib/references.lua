-- What machines, instances and disks refer to.

local machine = require("lib.machine")

local references = {}

local cloudInit = { { "Secret", "secretRef.name" }, { "Secret", "networkDataSecretRef.name" } }

-- What a volume, a credential or the source of a disk names, by the field it has.
local names = {
  cloudInitNoCloud = cloudInit,
  cloudInitConfigDrive = cloudInit,
  configMap = { { "ConfigMap", "name" } },
  containerDisk = { { "Secret", "imagePullSecret" } },
  dataVolume = { { "DataVolume", "name" } },
  ephemeral = { { "PersistentVolumeClaim", "persistentVolumeClaim.claimName" } },
  memoryDump = { { "PersistentVolumeClaim", "claimName" } },
  persistentVolumeClaim = { { "PersistentVolumeClaim", "claimName" } },
  secret = { { "Secret", "secretName" } },
  serviceAccount = { { "ServiceAccount", "serviceAccountName" } },
  source = { { "Secret", "secretRef" }, { "ConfigMap", "certConfigMap" } },
  sshPublicKey = { { "Secret", "source.secret.secretName" } },
  sysprep = { { "Secret", "secret.name" }, { "ConfigMap", "configMap.name" } },
  userPassword = { { "Secret", "source.secret.secretName" } },
}

-- Kinds of the namespace that an instance type or preference may be, as KubeVirt reads
-- them; those of the cluster come with its KubeVirt.
local types = {
  virtualmachineinstancetype = "VirtualMachineInstancetype",
  virtualmachineinstancetypes = "VirtualMachineInstancetype",
  virtualmachinepreference = "VirtualMachinePreference",
  virtualmachinepreferences = "VirtualMachinePreference",
}

local function reference(apiVersion, kind, namespace, name)
  return { apiVersion = apiVersion, kind = kind, namespace = namespace, name = name }
end

-- The parts of a machine that name others, and the disks that it creates itself.
local function parts(obj)
  local instance, created = machine.instance(obj), {}
  local all = kube.concat(instance.volumes, instance.accessCredentials)
  for _, template in ipairs(kube.get(obj, "spec.dataVolumeTemplates", {})) do
    created[kube.get(template, "metadata.name", "")] = true
    for _, source in pairs(kube.get(template, "spec.source", {})) do
      table.insert(all, { source = source })
    end
  end
  return all, created
end

local function matched(obj, namespace)
  local list = {}
  for _, field in ipairs({ "instancetype", "preference" }) do
    local matcher = kube.get(obj, { "spec", field }, {})
    local kind = types[string.lower(matcher.kind or "")]
    if kind and matcher.name then
      table.insert(list, reference("instancetype.kubevirt.io/v1beta1", kind, namespace, matcher.name))
    end
  end
  return list
end

-- The references of one part. A disk that the machine creates itself is none, nor is its
-- claim, which has the same name.
local function named(part, created, namespace)
  local list = {}
  for field, value in pairs(part) do
    for _, entry in ipairs(names[field] or {}) do
      local kind, name = entry[1], kube.get(value, entry[2], "")
      local disk = kind == "DataVolume" or kind == "PersistentVolumeClaim"
      if name ~= "" and not (disk and created[name]) then
        table.insert(list, reference(kind == "DataVolume" and "cdi.kubevirt.io/v1beta1" or "v1", kind, namespace, name))
      end
    end
  end
  return list
end

function references.ofMachine(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  local instance = machine.instance(obj)
  local all = kube.concat(
    kube.references("ServiceAccount", namespace, instance.serviceAccountName),
    kube.references("Secret", namespace, kube.get(instance, "domain.firmware.kernelBoot.container.imagePullSecret")),
    matched(obj, namespace)
  )
  local list, created = parts(obj)
  for _, part in ipairs(list) do
    all = kube.concat(all, named(part, created, namespace))
  end
  return all
end

-- The keys and certificates of the source of a disk, and what it is a copy of.
function references.ofDisk(obj)
  local all, namespace = kube.list(), kube.get(obj, "metadata.namespace", "default")
  for _, source in pairs(kube.get(obj, "spec.source", {})) do
    all = kube.concat(all, named({ source = source }, {}, namespace))
    for _, header in ipairs(source.secretExtraHeaders or {}) do
      all = kube.concat(all, kube.references("Secret", namespace, header))
    end
  end
  local claim, ref = kube.get(obj, "spec.source.pvc", {}), kube.get(obj, "spec.sourceRef", {})
  all = kube.concat(all, kube.references("PersistentVolumeClaim", claim.namespace or namespace, claim.name))
  if ref.kind == "DataSource" then
    table.insert(all, reference("cdi.kubevirt.io/v1beta1", "DataSource", ref.namespace or namespace, ref.name))
  end
  return all
end

return references
