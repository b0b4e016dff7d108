-- The parts of a Kafka whose logging and metrics may stand in a ConfigMap.
local parts = {
  "kafka", "zookeeper", "entityOperator.topicOperator", "entityOperator.userOperator", "cruiseControl",
}

-- The Secrets of an authority that Strimzi does not create itself, by the end of their names.
local authorities = {
  clusterCa = { "-cluster-ca", "-cluster-ca-cert" },
  clientsCa = { "-clients-ca", "-clients-ca-cert" },
}

function GetDependencies(obj)
  local spec, namespace = obj.spec or {}, kube.get(obj, "metadata.namespace", "default")
  local all = kube.list()

  local function add(kind, name)
    all = kube.concat(all, kube.references(kind, namespace, name))
  end

  for _, part in ipairs(parts) do
    add("ConfigMap", kube.get(spec, part .. ".logging.valueFrom.configMapKeyRef.name"))
    add("ConfigMap", kube.get(spec, part .. ".metricsConfig.valueFrom.configMapKeyRef.name"))
    for _, secret in ipairs(kube.get(spec, part .. ".template.pod.imagePullSecrets", {})) do
      add("Secret", secret.name)
    end
  end
  for _, listener in ipairs(kube.get(spec, "kafka.listeners", {})) do
    add("Secret", kube.get(listener, "configuration.brokerCertChainAndKey.secretName"))
  end
  for field, ends in pairs(authorities) do
    for _, suffix in ipairs(kube.get(spec, field .. ".generateCertificateAuthority") == false and ends or {}) do
      add("Secret", kube.get(obj, "metadata.name", "") .. suffix)
    end
  end
  return all
end
