-- nextPrivateKeySecretName stays in the member: it names a Secret there.
local fields = {
  "conditions", "failedIssuanceAttempts", "lastFailureTime", "notAfter", "notBefore", "renewalTime", "revision",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, fields) or {}
end
