{{/*
Capabilities of the agent. Installing, labelling, deleting and serving need none. Entering the namespaces of pods needs four.
Legacy iptables opens a raw socket, and so does iptables for the sets of ambient mode; native nftables does not.
*/}}
{{- define "cni.capabilities" -}}
{{- $sets := and .ambient.enabled (not .global.nativeNftables) -}}
{{- $legacy := eq (default "" .env.FORCE_IPTABLES_BINARY) "legacy" -}}
drop: [ALL]
{{- if include "cni.entersPods" . }}
add: [SYS_ADMIN, SYS_PTRACE, NET_ADMIN, SYS_CHROOT{{ if or $sets $legacy }}, NET_RAW{{ end }}]
{{- end }}
{{- end }}

{{/* Folders of the node that the agent changes when it installs or uninstalls. */}}
{{- define "cni.hostVolumes" -}}
- name: cni-bin-dir
  hostPath: {path: {{ .cniBinDir }}}
- name: cni-net-dir
  hostPath: {path: {{ .cniConfDir }}}
- name: cni-socket-dir
  hostPath: {path: /var/run/istio-cni}
{{- with .cniCacheDir }}
- name: cni-cache-dir
  hostPath: {path: {{ . }}, type: DirectoryOrCreate}
{{- end }}
{{- end }}

{{/* Fails if another release exists, because two agents on a node would undo each other. helm template cannot check it. */}}
{{- define "cni.onlyOne" -}}
{{- range (lookup "apps/v1" "DaemonSet" "" "").items -}}
{{- if and (eq .metadata.name "istio-cni-node") (ne .metadata.namespace $.Release.Namespace) -}}
{{- fail (printf "DaemonSet istio-cni-node already runs in namespace %s, and a node can have one agent only: delete that release first, or install into that namespace" .metadata.namespace) -}}
{{- end -}}
{{- end -}}
{{- end }}
