-- What pods refer to by settings of Spark, spec.sparkConf (Spark 3.3 to 4.0, Running Spark on
-- Kubernetes).

local settings = {}

-- The settings that name an object each, by kind.
local single = {
  { "ServiceAccount", "spark.kubernetes.authenticate.driver.serviceAccountName" },
  { "ServiceAccount", "spark.kubernetes.authenticate.executor.serviceAccountName" },
  { "ServiceAccount", "spark.kubernetes.authenticate.serviceAccountName" },
  { "ConfigMap", "spark.kubernetes.hadoop.configMapName" },
  { "ConfigMap", "spark.kubernetes.kerberos.krb5.configMapName" },
  { "Secret", "spark.kubernetes.kerberos.tokenSecret.name" },
}

-- A claim that Spark makes itself, for each executor.
local function isMade(claim)
  return claim == "OnDemand" or string.find(claim, "SPARK_EXECUTOR_ID", 1, true) ~= nil
end

-- Dependencies without the claims that Spark makes itself.
function settings.existing(dependencies)
  local all = kube.list()
  for _, dependency in ipairs(dependencies) do
    if dependency.kind ~= "PersistentVolumeClaim" or not isMade(dependency.name) then
      table.insert(all, dependency)
    end
  end
  return all
end

local prefix = "spark.kubernetes."

-- What one setting of many of its form refers to: a Secret that is mounted, the Secret of a
-- variable, and a claim. name is that behind the prefix.
local function one(name, value)
  if string.find(name, "^%a+%.secrets%.") then
    return "Secret", string.match(name, "^%a+%.secrets%.(.+)$")
  end
  if string.find(name, "^%a+%.secretKeyRef%.") then
    return "Secret", string.match(value, "^[^:]+")
  end
  if string.find(name, "%.persistentVolumeClaim%..+%.options%.claimName$") then
    return "PersistentVolumeClaim", value
  end
end

-- All that the settings refer to; conf may be nil.
function settings.references(conf, namespace)
  local names = { ConfigMap = {}, PersistentVolumeClaim = {}, Secret = {}, ServiceAccount = {} }
  for _, setting in ipairs(single) do
    table.insert(names[setting[1]], kube.get(conf, { setting[2] }))
  end
  for name, value in pairs(conf or {}) do
    if string.find(name, prefix, 1, true) == 1 then
      local kind, object = one(string.sub(name, #prefix + 1), value)
      if kind then
        table.insert(names[kind], object)
      end
    end
  end
  for secret in string.gmatch(kube.get(conf, { "spark.kubernetes.container.image.pullSecrets" }, ""), "[^,%s]+") do
    table.insert(names.Secret, secret)
  end
  return kube.concat(
    kube.references("ConfigMap", namespace, unpack(names.ConfigMap)),
    kube.references("PersistentVolumeClaim", namespace, unpack(names.PersistentVolumeClaim)),
    kube.references("Secret", namespace, unpack(names.Secret)),
    kube.references("ServiceAccount", namespace, unpack(names.ServiceAccount)))
end

return settings
