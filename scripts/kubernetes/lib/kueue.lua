-- What Kueue owns of a Job or a Pod in a queue of its member (kubernetes-sigs/kueue,
-- pkg/podset, Merge; pkg/controller/jobs/job and pod).

local kueue = {}

local function label(obj, key)
  return kube.get(obj, { "metadata", "labels", key })
end

-- Reports whether the object is in a queue: the user has named it, or the webhook of Kueue in
-- the member has, which puts what has no queue into that by default.
function kueue.owns(desired, observed)
  for _, obj in ipairs({ desired, observed }) do
    if label(obj, "kueue.x-k8s.io/queue-name") or label(obj, "kueue.x-k8s.io/managed") == "true" then
      return true
    end
  end
  return false
end

return kueue
