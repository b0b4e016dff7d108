-- What the pods of a deployment refer to.

local option = require("lib.option")
local options = require("lib.options")
local podTemplate = require("lib.template")
local pods = require("lib.pods")

local references = {}

-- The Secrets whose keys are variables of the pods: "env:A,secret:b,key:c;env:...".
local function variables(config)
  local names = {}
  for _, item in ipairs(options.list(config, "kubernetes.env.secretKeyRef")) do
    table.insert(names, string.match(item, "secret:([^,]+)"))
  end
  return names
end

-- What the pods refer to by options of Flink (KubernetesConfigOptions).
local function configured(config, namespace)
  local function named(kind, names)
    return kube.references(kind, namespace, unpack(names))
  end
  local accounts = {}
  for _, role in ipairs({ "", "jobmanager.", "taskmanager." }) do
    table.insert(accounts, option(config, "kubernetes." .. role .. "service-account"))
  end
  return kube.concat(
    named("Secret", options.keys(config, "kubernetes.secrets")),
    named("Secret", variables(config)),
    named("Secret", options.list(config, "kubernetes.container.image.pull-secrets")),
    kube.references("ConfigMap", namespace, option(config, "kubernetes.hadoop.conf.config-map.name")),
    named("ServiceAccount", accounts))
end

-- What the pods refer to, the account that they run as, and the ingress's certificates.
function references.all(obj)
  local spec, namespace = pods.spec(obj), kube.get(obj, "metadata.namespace", "default")
  local all = kube.concat(
    kube.getPodDependencies({ spec = { serviceAccountName = spec.serviceAccount } }, namespace),
    kube.getPodDependencies(podTemplate(spec, spec.jobManager), namespace),
    kube.getPodDependencies(podTemplate(spec, spec.taskManager), namespace),
    configured(spec.flinkConfiguration, namespace))
  local ingresses = kube.concat(kube.get(spec, "ingress.tls"), kube.get(obj, "spec.ingress.tls"))
  for _, tls in ipairs(ingresses) do
    all = kube.concat(all, kube.references("Secret", namespace, tls.secretName))
  end
  return all
end

return references
