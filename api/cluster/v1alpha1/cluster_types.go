// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:metadata:labels="resourcetemplate.karmada.io/deletion-protected=Always"
// +kubebuilder:resource:scope=Cluster,shortName=clu,categories={karmada-io}
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.kubernetesVersion`
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.syncMode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Zones",type=string,JSONPath=`.spec.zones`,priority=1
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`,priority=1
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.spec.provider`,priority=1
// +kubebuilder:printcolumn:name="APIEndpoint",type=string,JSONPath=`.spec.apiEndpoint`,priority=1
// +kubebuilder:printcolumn:name="ID",type=string,JSONPath=`.status.id`,priority=1
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$')",message="metadata.name must be a DNS label of at most 48 characters: lower-case letters, digits and dashes, with a letter or digit at both ends"

// Cluster is one member.
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is how to reach the member and what is said about it.
	Spec ClusterSpec `json:"spec"`

	// Status is what was seen of it.
	// +optional
	Status ClusterStatus `json:"status,omitempty,omitzero"`
}

// +kubebuilder:object:root=true

// ClusterList is a list of Clusters.
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Cluster `json:"items"`
}

// ClusterSpec is how to reach a member and what is said about it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.zone) || !has(self.zones) || self.zones.size() == 0",fieldPath=".zone",message="zone and zones exclude each other; move zone into zones"
// +kubebuilder:validation:XValidation:rule="!has(self.apiEndpoint) || !self.apiEndpoint.matches('[@?#]')",fieldPath=".apiEndpoint",message="must have no user, query or fragment; credentials belong in secretRef"
// +kubebuilder:validation:XValidation:rule="!has(self.proxyURL) || self.proxyURL.matches('^((https?|socks5)://.*)?$')",fieldPath=".proxyURL",message="must start with http://, https:// or socks5://"
type ClusterSpec struct {
	// ID identifies the member for ever, by default by the metadata.uid of its
	// namespace kube-system. Two Clusters with the same ID are the same member. An ID that
	// has the form of a UID must be that of the member, see status.id; any other is not
	// compared.
	// +optional
	// +kubebuilder:validation:MaxLength=128000
	ID string `json:"id,omitempty"`

	// SyncMode is who carries objects to the member.
	// +required
	// +kubebuilder:validation:Enum=Push;Pull
	SyncMode ClusterSyncMode `json:"syncMode"`

	// APIEndpoint is the URL of the member's API server:
	// https://host[:port][/path].
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z][-a-z0-9+.]*://[^\\\\s/]')",message="must be a URL with a host, such as https://10.0.0.1:6443"
	APIEndpoint string `json:"apiEndpoint,omitempty"`

	// SecretRef names the Secret with the token and the CA bundle. The control
	// plane does nothing on a member in mode Push without it.
	// +optional
	SecretRef *LocalSecretReference `json:"secretRef,omitempty"`

	// ImpersonatorSecretRef names the Secret with a token that may impersonate
	// users.
	// +optional
	ImpersonatorSecretRef *LocalSecretReference `json:"impersonatorSecretRef,omitempty"`

	// InsecureSkipTLSVerification accepts any certificate of the API server.
	// +optional
	InsecureSkipTLSVerification bool `json:"insecureSkipTLSVerification,omitempty"`

	// ProxyURL is the proxy to the API server: http, https or socks5. Empty
	// means none.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ProxyURL string `json:"proxyURL,omitempty"`

	// ProxyHeader are headers for the proxy; several values of one header are
	// joined with commas.
	// +optional
	ProxyHeader map[string]string `json:"proxyHeader,omitempty"`

	// Provider is whose cloud it is.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="must be a label value: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends"
	Provider string `json:"provider,omitempty"`

	// Region is where it is.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="must be a label value: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends"
	Region string `json:"region,omitempty"`

	// Zone is deprecated: it is moved into zones. It excludes zones.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="must be a label value: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends"
	Zone string `json:"zone,omitempty"`

	// Zones are the failure zones that the member's nodes stand in.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$')",message="must be a label value: up to 63 letters, digits, '-', '_' and '.' with a letter or digit at both ends"
	Zones []string `json:"zones,omitempty"`

	// Taints keep objects away that do not tolerate them. There is one of a key and effect, so
	// that a server-side apply of some leaves those of others.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +listMapKey=effect
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="self.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute']",fieldPath=".effect",message="the effects are NoSchedule, PreferNoSchedule and NoExecute; use one of them"
	// +kubebuilder:validation:items:XValidation:rule="self.key != ''",fieldPath=".key",reason="FieldValueRequired",message="give the key of the taint"
	Taints []corev1.Taint `json:"taints,omitempty"`

	// ResourceModels sort nodes into grades by their free resources, from the
	// smallest grade to the largest. Empty means the nine default grades.
	// +optional
	ResourceModels []ResourceModel `json:"resourceModels,omitempty"`
}

// ClusterSyncMode is who carries objects to a member.
type ClusterSyncMode string

const (
	// Push means that the control plane writes to the member.
	Push ClusterSyncMode = "Push"
	// Pull means that an agent in the member reads from the control plane.
	Pull ClusterSyncMode = "Pull"
)

// LocalSecretReference names a Secret of the control plane.
type LocalSecretReference struct {
	// Namespace is the Secret's namespace.
	// +required
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`

	// Name is the Secret's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ResourceModel is one grade of nodes.
type ResourceModel struct {
	// Grade numbers the grades from 0, the smallest.
	// +required
	// +kubebuilder:validation:Minimum=0
	Grade uint `json:"grade"`

	// Ranges specify what a node of this grade has free: one item for each resource,
	// the same resources in every grade.
	// +required
	Ranges []ResourceModelRange `json:"ranges"`
}

// ResourceModelRange is an interval of one resource. Each starts where that of
// the grade before it ends.
type ResourceModelRange struct {
	// Name is the resource, for example cpu.
	// +required
	Name corev1.ResourceName `json:"name"`

	// Min is the smallest value, included.
	// +required
	Min resource.Quantity `json:"min"`

	// Max is the end of the interval, not included; MaxInt64 in the last grade.
	// +required
	Max resource.Quantity `json:"max"`
}

// ClusterStatus is what was seen of a member.
type ClusterStatus struct {
	// ID is the metadata.uid of the member's namespace kube-system, as it was observed.
	// Another cluster behind the name does not change it before that is confirmed, by its
	// id in spec.id. Empty means that it could not be read. It is Dragoman's own.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ID string `json:"id,omitempty"`

	// KubernetesVersion is the version of its API server, for example v1.36.3.
	// +optional
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`

	// APIEnablements are the kinds that it serves, sorted by group and version.
	// +optional
	APIEnablements []APIEnablement `json:"apiEnablements,omitempty"`

	// Conditions are Ready and CompleteAPIEnablements, IDConflict, OwnerConflict and
	// EvictionsStopped while there is one, and what others add, which may have no reason, message
	// or time: the published API server of Clusters asks for none.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// TaintedSince has since when the cluster has its taints with the effect NoExecute, sorted by
	// key. Tolerations count from there. A taint that a policy wants stays in it while somebody
	// writes spec.taints without it. It is Dragoman's own.
	// +optional
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MaxItems=256
	TaintedSince []TaintSince `json:"taintedSince,omitempty"`

	// NodeSummary counts its nodes. Nil means not collected.
	// +optional
	NodeSummary *NodeSummary `json:"nodeSummary,omitempty"`

	// ResourceSummary adds up its resources. Nil means not collected.
	// +optional
	ResourceSummary *ResourceSummary `json:"resourceSummary,omitempty"`

	// RemedyActions are what remedies ask to be done for the member, sorted.
	// +optional
	RemedyActions []string `json:"remedyActions,omitempty"`
}

// TaintSince is since when a cluster has a taint with the effect NoExecute.
type TaintSince struct {
	// Key is that of the taint.
	// +required
	Key string `json:"key"`

	// Value is that of the taint. Another one is another taint.
	// +optional
	Value string `json:"value,omitempty"`

	// Since is when the cluster got it, however often it was written since.
	// +required
	Since metav1.Time `json:"since"`
}

// APIEnablement are the kinds of one group and version.
type APIEnablement struct {
	// GroupVersion is the group and version, for example apps/v1.
	// +required
	GroupVersion string `json:"groupVersion"`

	// Resources are its kinds, sorted by name and without subresources.
	// +optional
	Resources []APIResource `json:"resources,omitempty"`
}

// APIResource is one kind.
type APIResource struct {
	// Name is the plural resource name, for example deployments.
	// +required
	Name string `json:"name"`

	// Kind is the kind, for example Deployment.
	// +required
	Kind string `json:"kind"`
}

// NodeSummary counts nodes.
type NodeSummary struct {
	// TotalNum is how many nodes there are.
	// +optional
	TotalNum int32 `json:"totalNum,omitempty"`

	// ReadyNum is how many of them are ready.
	// +optional
	ReadyNum int32 `json:"readyNum,omitempty"`
}

// ResourceSummary adds up the resources of a member.
type ResourceSummary struct {
	// Allocatable is what its nodes offer to pods.
	// +optional
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`

	// Allocating is what pods request that have no node yet; under pods, their
	// number.
	// +optional
	Allocating corev1.ResourceList `json:"allocating,omitempty"`

	// Allocated is what pods request that are on a node and not finished; under
	// pods, their number.
	// +optional
	Allocated corev1.ResourceList `json:"allocated,omitempty"`

	// AllocatableModelings counts nodes by grade, one item for each grade.
	// +optional
	AllocatableModelings []AllocatableModeling `json:"allocatableModelings,omitempty"`
}

// AllocatableModeling counts the nodes of one grade.
type AllocatableModeling struct {
	// Grade is the grade.
	// +required
	// +kubebuilder:validation:Minimum=0
	Grade uint `json:"grade"`

	// Count is how many nodes are in it.
	// +required
	Count int `json:"count"`
}
