{{/*
Installing, labelling, deleting and serving need none; entering the namespaces of pods needs four. Programs open a raw socket
where they are legacy iptables, and for the sets of ambient mode, which nftables of its own does without.
*/}}
{{- define "cni.capabilities" -}}
{{- $sets := and .ambient.enabled (not .global.nativeNftables) -}}
{{- $legacy := eq (default "" .env.FORCE_IPTABLES_BINARY) "legacy" -}}
drop: [ALL]
{{- if include "cni.entersPods" . }}
add: [SYS_ADMIN, SYS_PTRACE, NET_ADMIN, SYS_CHROOT{{ if or $sets $legacy }}, NET_RAW{{ end }}]
{{- end }}
{{- end }}

{{/* Folders of the node that installing and its opposite write to. */}}
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

{{/* Two agents on a node would take turns: refused where the cluster can be asked, which helm template cannot. */}}
{{- define "cni.onlyOne" -}}
{{- range (lookup "apps/v1" "DaemonSet" "" "").items -}}
{{- if and (eq .metadata.name "istio-cni-node") (ne .metadata.namespace $.Release.Namespace) -}}
{{- fail (printf "DaemonSet istio-cni-node runs in namespace %s already: a node has room for one agent; delete that release first, or install into that namespace" .metadata.namespace) -}}
{{- end -}}
{{- end -}}
{{- end }}
