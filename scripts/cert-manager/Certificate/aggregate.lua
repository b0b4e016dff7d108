-- Each cluster has a certificate of its own. Together they are valid from when the last
-- became valid until the first ends.
function AggregateStatus(obj, items)
  local status = {
    conditions = kube.orNil(kube.worstConditions(items, { "Issuing" })),
    failedIssuanceAttempts = kube.latest(items, "failedIssuanceAttempts"),
    lastFailureTime = kube.latest(items, "lastFailureTime"),
    notAfter = kube.earliest(items, "notAfter"),
    notBefore = kube.latest(items, "notBefore"),
    renewalTime = kube.earliest(items, "renewalTime"),
    revision = kube.latest(items, "revision"),
  }
  if next(status) then
    obj.status = status
  end
  return obj
end
