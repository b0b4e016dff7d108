local credentials = require("lib.credentials")

-- Fields that name a Secret.
local secrets = {
  "superuserSecret.name", "bootstrap.initdb.secret.name", "bootstrap.recovery.secret.name",
  "bootstrap.pg_basebackup.secret.name", "certificates.serverCASecret", "certificates.serverTLSSecret",
  "certificates.replicationTLSSecret", "certificates.clientCASecret",
}

-- Lists of references, by the kind that they name.
local lists = {
  { "imagePullSecrets", "Secret" },
  { "monitoring.customQueriesConfigMap", "ConfigMap" },
  { "monitoring.customQueriesSecret", "Secret" },
  { "bootstrap.initdb.postInitSQLRefs.configMapRefs", "ConfigMap" },
  { "bootstrap.initdb.postInitSQLRefs.secretRefs", "Secret" },
  { "bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs", "ConfigMap" },
  { "bootstrap.initdb.postInitApplicationSQLRefs.secretRefs", "Secret" },
  { "bootstrap.initdb.postInitTemplateSQLRefs.configMapRefs", "ConfigMap" },
  { "bootstrap.initdb.postInitTemplateSQLRefs.secretRefs", "Secret" },
}

-- The catalog of the namespace; that of the cluster is set up with the operator.
local function catalog(spec, namespace)
  local ref = spec.imageCatalogRef or {}
  if ref.kind == "ImageCatalog" then
    return { { apiVersion = "postgresql.cnpg.io/v1", kind = ref.kind, namespace = namespace, name = ref.name } }
  end
end

-- The object stores of plugins.
local function stores(spec, namespace)
  local all, used = kube.list(), kube.concat(spec.plugins)
  for _, cluster in ipairs(spec.externalClusters or {}) do
    used = kube.concat(used, { cluster.plugin })
  end
  for _, plugin in ipairs(used) do
    local name = kube.get(plugin, "parameters.barmanObjectName")
    if name then
      table.insert(all, { apiVersion = "barmancloud.cnpg.io/v1", kind = "ObjectStore", namespace = namespace, name = name })
    end
  end
  return all
end

local function external(cluster, namespace)
  return kube.concat(
    credentials(cluster.barmanObjectStore or {}, namespace),
    kube.references(
      "Secret", namespace, kube.get(cluster, "password.name"), kube.get(cluster, "sslKey.name"),
      kube.get(cluster, "sslCert.name"), kube.get(cluster, "sslRootCert.name")))
end

function GetDependencies(obj)
  local spec, namespace = obj.spec or {}, kube.get(obj, "metadata.namespace", "default")
  local pod = { spec = { containers = { { env = spec.env, envFrom = spec.envFrom } } } }
  local all = kube.concat(
    kube.getPodDependencies(pod, namespace),
    credentials(kube.get(spec, "backup.barmanObjectStore", {}), namespace),
    catalog(spec, namespace),
    stores(spec, namespace))
  for _, field in ipairs(secrets) do
    all = kube.concat(all, kube.references("Secret", namespace, kube.get(spec, field)))
  end
  for _, list in ipairs(lists) do
    for _, ref in ipairs(kube.get(spec, list[1], {})) do
      all = kube.concat(all, kube.references(list[2], namespace, ref.name))
    end
  end
  for _, role in ipairs(kube.get(spec, "managed.roles", {})) do
    all = kube.concat(all, kube.references("Secret", namespace, kube.get(role, "passwordSecret.name")))
  end
  for _, cluster in ipairs(spec.externalClusters or {}) do
    all = kube.concat(all, external(cluster, namespace))
  end
  return all
end
