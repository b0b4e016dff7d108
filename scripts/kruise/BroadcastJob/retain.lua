-- Labels that the member cluster puts on the pods, to know them as those of the job, stay.
function Retain(desired, observed)
  local labels = kube.get(observed, "spec.template.metadata.labels")
  if labels then
    local kept = kube.merge(labels, kube.get(desired, "spec.template.metadata.labels"))
    desired.spec = kube.merge(desired.spec, { template = { metadata = { labels = kept } } })
  end
  return desired
end
