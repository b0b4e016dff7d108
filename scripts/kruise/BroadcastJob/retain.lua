-- The labels by which the member cluster selects the pods of the job are kept.
function Retain(desired, observed)
  local labels = kube.get(observed, "spec.template.metadata.labels")
  if labels then
    local kept = kube.merge(labels, kube.get(desired, "spec.template.metadata.labels"))
    desired.spec = kube.merge(desired.spec, { template = { metadata = { labels = kept } } })
  end
  return desired
end
