-- A queue of Kueue starts and stops an AppWrapper, and writes what it admits its pods with
-- beside each object (kubernetes-sigs/kueue, pkg/controller/jobs/appwrapper,
-- RunWithPodSetsInfo; RestorePodSetsInfo takes it away again). suspend is left out where it is
-- false. For MultiKueue Kueue says who manages the AppWrapper, which cannot be changed.
function Retain(desired, observed)
  local there = observed.spec
  if not there or not kube.inQueue(desired, observed) then
    return desired
  end
  desired.spec = desired.spec or {}
  desired.spec.suspend = there.suspend
  desired.spec.managedBy = desired.spec.managedBy or there.managedBy
  for i, component in ipairs(desired.spec.components or {}) do
    component.podSetInfos = kube.get(there.components and there.components[i], "podSetInfos")
  end
  return desired
end
