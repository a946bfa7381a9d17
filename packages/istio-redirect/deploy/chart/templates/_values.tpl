{{/* Values of a profile, as YAML. An unknown name is an error that lists the known names. */}}
{{- define "cni.profile" -}}
{{- $text := .root.Files.Get (printf "files/profile-%s.yaml" .name) -}}
{{- if not $text -}}
  {{- $known := list -}}
  {{- range $path, $_ := .root.Files.Glob "files/profile-*.yaml" -}}
    {{- $known = append $known (trimSuffix ".yaml" (trimPrefix "files/profile-" $path)) -}}
  {{- end -}}
  {{- fail (printf "%s %q is unknown: expected one of %s" .key .name (join ", " $known)) -}}
{{- end -}}
{{- $text -}}
{{- end }}

{{/*
Effective values, as YAML: defaults, then profiles and platform, then the values of the user. Keys below "cni" are the former
form. They have a lower precedence than the same keys at the top. The file values.yaml is empty, because its values would
override profiles.
*/}}
{{- define "cni.values" -}}
{{- $given := deepCopy (omit .Values "cni") -}}
{{- $global := default dict $given.global -}}
{{- $values := .Files.Get "files/defaults.yaml" | fromYaml -}}
{{- $former := default dict .Values.cni | deepCopy -}}
{{- $isGke := contains "-gke" .Capabilities.KubeVersion.Version -}}
{{- $layers := list -}}
{{- if $isGke }}{{- $layers = append $layers (list "platform" "gke") }}{{- end -}}
{{- with $given.compatibilityVersion }}{{- $layers = append $layers (list "compatibilityVersion" (printf "compatibility-version-%s" (toString .))) }}{{- end -}}
{{- with coalesce $given.profile $global.profile $former.profile }}{{- $layers = append $layers (list "profile" (trimPrefix "platform-" .)) }}{{- end -}}
{{- with coalesce $given.platform $global.platform }}{{- $layers = append $layers (list "global.platform" .) }}{{- end -}}
{{- range $layers }}
  {{- $values = mustMergeOverwrite $values (include "cni.profile" (dict "root" $ "key" (index . 0) "name" (index . 1)) | fromYaml) -}}
{{- end -}}
{{- $values = mustMergeOverwrite $values $former $given -}}
{{- $_ := set $values "hub" (coalesce $values.hub $global.hub "") -}}
{{- /* The tag of a whole reference. */ -}}
{{- $tagOfImage := trimPrefix ":" (regexFind ":[^/:@]+$" $values.image) -}}
{{- $_ := set $values "tag" (toString (default $tagOfImage (coalesce $values.tag $global.tag))) -}}
{{- $_ := set $values "variant" (coalesce $values.variant $global.variant "") -}}
{{- $_ := set $values "pullPolicy" (coalesce $values.pullPolicy $global.imagePullPolicy "") -}}
{{- $_ := set $values "imagePullSecrets" (concat (default list $values.imagePullSecrets) (default list $global.imagePullSecrets) | uniq) -}}
{{- $_ := set $values "global" $global -}}
{{- $values | toYaml -}}
{{- end }}

{{/* Setting that needs the programs of the image: legacy iptables, or sets in iptables rules. */}}
{{- define "cni.programs" -}}
{{- if eq (default "" .env.FORCE_IPTABLES_BINARY) "legacy" -}}
env.FORCE_IPTABLES_BINARY legacy
{{- else if and .ambient.enabled (not .global.nativeNftables) (ne .ambient.redirectMode "node-ebpf") -}}
ambient mode with iptables
{{- end -}}
{{- end }}

{{/* hub/image:tag-variant, or the whole reference in image. */}}
{{- define "cni.image" -}}
{{- if or (contains "/" .image) (contains ":" .image) -}}
{{ .image }}
{{- else if not .hub -}}
{{- fail "which image is to run? Set hub (or global.hub) and tag, or image to a whole reference such as registry.example/install-cni:1" -}}
{{- else if and (eq .variant "minimal") (include "cni.programs" .) -}}
{{- fail (printf "variant minimal has no programs, but %s needs them: set variant \"\"%s" (include "cni.programs" .) (ternary ", or set global.nativeNftables" "" .ambient.enabled)) -}}
{{- else -}}
{{ .hub }}/{{ .image }}{{ with .tag }}:{{ . }}{{ end }}{{ with .variant }}-{{ . }}{{ end }}
{{- end -}}
{{- end }}

{{/* Action for pods that started without rules: repair, delete, label, or empty. */}}
{{- define "cni.repairMode" -}}
{{- with .repair -}}
{{- if .enabled -}}
{{- if .repairPods }}repair{{ else if .deletePods }}delete{{ else if .labelPods }}label{{ end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Not empty if the agent enters the namespaces of pods: for repair in place, and for ambient mode. */}}
{{- define "cni.entersPods" -}}
{{- if or .ambient.enabled (eq (include "cni.repairMode" .) "repair") }}true{{ end -}}
{{- end }}

{{/* Node-level mode (node-iptables or node-ebpf), or empty if ambient traffic is redirected in each pod. */}}
{{- define "cni.nodeLevel" -}}
{{- if and .ambient.enabled (hasPrefix "node-" .ambient.redirectMode) }}{{ .ambient.redirectMode }}{{ end -}}
{{- end }}

{{/*
Not empty if the agent reads its Node object. It reads the labels at its end if the DaemonSet selects nodes by labels, and the
address in node-level modes.
*/}}
{{- define "cni.getsNode" -}}
{{- if or (include "cni.nodeLevel" .) .nodeSelector (dig "nodeAffinity" "requiredDuringSchedulingIgnoredDuringExecution" "" .affinity) }}true{{ end -}}
{{- end }}

{{- define "cni.labels" -}}
app.kubernetes.io/name: istio-cni
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: istio
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Not empty if objects of the scope ("cluster" or "namespace") are created. */}}
{{- define "cni.inScope" -}}
{{- $scope := default "all" .values.global.resourceScope -}}
{{- if or (eq $scope "all") (eq $scope .scope) }}true{{ end -}}
{{- end }}

{{/* Data of the ConfigMap. */}}
{{- define "cni.config" -}}
CURRENT_AGENT_VERSION: {{ .tag | quote }}
AMBIENT_ENABLED: {{ .ambient.enabled | quote }}
AMBIENT_ENABLEMENT_SELECTOR: {{ .ambient.enablementSelectors | toYaml | quote }}
AMBIENT_DNS_CAPTURE: {{ .ambient.dnsCapture | quote }}
AMBIENT_IPV6: {{ .ambient.ipv6 | quote }}
AMBIENT_RECONCILE_POD_RULES_ON_STARTUP: {{ .ambient.reconcileIptablesOnStartup | quote }}
ENABLE_AMBIENT_DETECTION_RETRY: {{ .ambient.enableAmbientDetectionRetry | quote }}
{{- with include "cni.nodeLevel" . }}
AMBIENT_REDIRECT_MODE: {{ . | quote }}
AMBIENT_TUNNEL: {{ $.ambient.tunnel | quote }}
{{- end }}
{{- if ne .cniConfDir "/etc/cni/net.d" }}
CNI_NET_DIR: {{ .cniConfDir | quote }}
{{- end }}
{{- if not (has .cniCacheDir (list "" "/var/lib/cni")) }}
CNI_CACHE_DIR: {{ .cniCacheDir | quote }}
{{- end }}
{{- with .cniConfFileName }}
CNI_CONF_NAME: {{ . | quote }}
{{- end }}
ISTIO_OWNED_CNI_CONFIG: {{ .istioOwnedCNIConfig | quote }}
{{- if and .istioOwnedCNIConfig .istioOwnedCNIConfigFileName }}
ISTIO_OWNED_CNI_CONF_FILENAME: {{ .istioOwnedCNIConfigFileName | quote }}
{{- end }}
CHAINED_CNI_PLUGIN: {{ .chained | quote }}
EXCLUDE_NAMESPACES: {{ join "," .excludeNamespaces | quote }}
REPAIR_ENABLED: {{ .repair.enabled | quote }}
REPAIR_LABEL_PODS: {{ .repair.labelPods | quote }}
REPAIR_DELETE_PODS: {{ .repair.deletePods | quote }}
REPAIR_REPAIR_PODS: {{ .repair.repairPods | quote }}
REPAIR_INIT_CONTAINER_NAME: {{ .repair.initContainerName | quote }}
REPAIR_BROKEN_POD_LABEL_KEY: {{ .repair.brokenPodLabelKey | quote }}
REPAIR_BROKEN_POD_LABEL_VALUE: {{ .repair.brokenPodLabelValue | quote }}
NATIVE_NFTABLES: {{ default false .global.nativeNftables | quote }}
{{- with .criSocket }}
CRI_SOCKET: {{ printf "/host%s" . | quote }}
{{- end }}
{{- range $key, $value := .env }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end }}
