-- Fields that name a Service or an Ingress of the namespace, by strategy.
local named = {
  Service = {
    "blueGreen.activeService", "blueGreen.previewService", "canary.canaryService", "canary.stableService",
    "canary.pingPong.pingService", "canary.pingPong.pongService", "canary.trafficRouting.alb.rootService",
  },
  Ingress = { "canary.trafficRouting.alb.ingress", "canary.trafficRouting.nginx.stableIngress" },
}

-- Fields that list names of Ingresses.
local listed = { "canary.trafficRouting.alb.ingresses", "canary.trafficRouting.nginx.stableIngresses" }

-- The version in which Istio serves its routes since 1.5.
local istioVersion = "networking.istio.io/v1beta1"

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

-- The routes of Istio that the controller writes weights into. A VirtualService may be in
-- another namespace, as name.namespace (utils/istio, GetVirtualServiceNamespaceName).
local function routes(strategy, add)
  local istio = kube.get(strategy, "canary.trafficRouting.istio", {})
  for _, service in ipairs(kube.concat({ istio.virtualService }, istio.virtualServices)) do
    local name, namespace = string.match(service.name, "^([^.]+)%.([^.]+)")
    add(istioVersion, "VirtualService", name or service.name, namespace)
  end
  add(istioVersion, "DestinationRule", kube.get(istio, "destinationRule.name"))
end

function GetDependencies(obj)
  local namespace, strategy = kube.get(obj, "metadata.namespace", "default"), kube.get(obj, "spec.strategy", {})
  local all = kube.getPodDependencies(kube.get(obj, "spec.template", {}), namespace)

  local function add(apiVersion, kind, name, other)
    if name then
      table.insert(all, { apiVersion = apiVersion, kind = kind, namespace = other or namespace, name = name })
    end
  end

  for _, field in ipairs(named.Service) do
    add("v1", "Service", kube.get(strategy, field))
  end
  for _, field in ipairs(named.Ingress) do
    add("networking.k8s.io/v1", "Ingress", kube.get(strategy, field))
  end
  for _, field in ipairs(listed) do
    for _, name in ipairs(kube.get(strategy, field, {})) do
      add("networking.k8s.io/v1", "Ingress", name)
    end
  end
  routes(strategy, add)
  for _, analysis in ipairs(analyses(strategy)) do
    for _, template in ipairs(analysis.templates or {}) do
      add("argoproj.io/v1alpha1", "AnalysisTemplate", not template.clusterScope and template.templateName or nil)
    end
  end
  local workload = kube.get(obj, "spec.workloadRef", {})
  add(workload.apiVersion, workload.kind, workload.name)
  return all
end
