-- Fields that name a Service or an Ingress of the namespace, by strategy.
local named = {
  Service = {
    "blueGreen.activeService", "blueGreen.previewService", "canary.canaryService", "canary.stableService",
    "canary.pingPong.pingService", "canary.pingPong.pongService", "canary.trafficRouting.alb.rootService",
  },
  Ingress = { "canary.trafficRouting.alb.ingress", "canary.trafficRouting.nginx.stableIngress" },
}

-- The analyses of a strategy, of its steps too.
local function analyses(strategy)
  local all = kube.concat(
    { kube.get(strategy, "canary.analysis") },
    { kube.get(strategy, "blueGreen.prePromotionAnalysis") },
    { kube.get(strategy, "blueGreen.postPromotionAnalysis") })
  for _, step in ipairs(kube.get(strategy, "canary.steps", {})) do
    all = kube.concat(all, { step.analysis })
  end
  return all
end

function GetDependencies(obj)
  local namespace, strategy = kube.get(obj, "metadata.namespace", "default"), kube.get(obj, "spec.strategy", {})
  local all = kube.getPodDependencies(kube.get(obj, "spec.template", {}), namespace)

  local function add(apiVersion, kind, name)
    if name then
      table.insert(all, { apiVersion = apiVersion, kind = kind, namespace = namespace, name = name })
    end
  end

  for _, field in ipairs(named.Service) do
    add("v1", "Service", kube.get(strategy, field))
  end
  for _, field in ipairs(named.Ingress) do
    add("networking.k8s.io/v1", "Ingress", kube.get(strategy, field))
  end
  for _, analysis in ipairs(analyses(strategy)) do
    for _, template in ipairs(analysis.templates or {}) do
      add("argoproj.io/v1alpha1", "AnalysisTemplate", not template.clusterScope and template.templateName or nil)
    end
  end
  local workload = kube.get(obj, "spec.workloadRef", {})
  add(workload.apiVersion, workload.kind, workload.name)
  return all
end
