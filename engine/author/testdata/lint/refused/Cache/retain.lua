function Retain(desired, observed)
  return kube.merge(desired, kube.get("a.b", observed))
  --                                  ^ wrong-argument
end
