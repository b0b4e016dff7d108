-- Issuer and ClusterIssuer have one IssuerSpec and one IssuerStatus.

local current = require("lib.current")

local issuer = {}

-- Fields that name a Secret, beside those whose names end in SecretRef: the CA, and Venafi.
local named = { "ca.secretName", "vault.auth.clientCertificate.secretName", "venafi.tpp.credentialsRef.name" }

-- Calls visit with each name behind a field that ends in SecretRef, such as tokenSecretRef and
-- those of the solvers of DNS-01. The key of an ACME account is created by cert-manager.
local function references(part, visit)
  for field, value in pairs(part) do
    if type(value) == "table" then
      local isSecret = string.match(tostring(field), "[sS]ecretRef$") and field ~= "privateKeySecretRef"
      if isSecret or field == "keySecretRef" then
        visit(value.name)
      end
      references(value, visit)
    end
  end
end

-- The Secrets of a ClusterIssuer are in the namespace in which cert-manager looks for them.
function issuer.dependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  if obj.kind == "ClusterIssuer" then
    namespace = params.clusterResourceNamespace
  end
  local all, spec = kube.list(), obj.spec or {}
  references(spec, function(name)
    all = kube.concat(all, kube.references("Secret", namespace, name))
  end)
  for _, field in ipairs(named) do
    all = kube.concat(all, kube.references("Secret", namespace, kube.get(spec, field)))
  end
  return all
end

-- Ready is True where the issuer can sign: its CA is there, its account is registered, its
-- server answers (cert-manager 1.8 to 1.19). Secrets that do not come make it False forever.
function issuer.health(obj)
  if not kube.condition(obj, "Ready") then
    return false
  end
  local ready = current(obj, "Ready")
  if ready == "True" or ready == "False" then
    return ready == "True"
  end
  return nil
end

function issuer.reflect(obj)
  return kube.reflectStatus(obj, { "acme", "conditions" }) or {}
end

-- Each cluster has an account of its own: reported is that of the first.
function issuer.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports > 0 then
    obj.status = kube.pick(reports[1].status, { "acme" })
    obj.status.conditions = kube.orNil(kube.worstConditions(items))
  end
  return obj
end

return issuer
