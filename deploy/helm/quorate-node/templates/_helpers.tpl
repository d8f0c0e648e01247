{{/* Name of this release's objects. With fullnameOverride the keys of another chart's release are found. */}}
{{- define "node.fullname" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- $name := ternary .Release.Name (printf "%s-%s" $chart .Release.Name) (contains $chart .Release.Name) -}}
{{- default $name .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* What selects the pods: never changes in the life of a release. */}}
{{- define "node.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "node.labels" -}}
{{ include "node.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Address of this release's service. */}}
{{- define "node.host" -}}
{{ include "node.fullname" . }}.{{ .Release.Namespace }}.svc.cluster.local
{{- end -}}

{{/* The cloud whose secret store has the keys; empty: Kubernetes has them. */}}
{{- define "node.cloud" -}}
{{- if and .Values.cluster.cloudNativeServices (has .Values.cluster.provider (list "aws" "azure")) -}}
{{ .Values.cluster.provider }}
{{- end -}}
{{- end -}}

{{- define "node.serviceAccount" -}}
{{- $cloud := include "node.cloud" . -}}
{{- if $cloud -}}
{{ (index .Values $cloud).serviceAccountName }}
{{- else -}}
{{ include "node.fullname" . }}-sa
{{- end -}}
{{- end -}}

{{/* What the containers may do: they write to their volume only. */}}
{{- define "node.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Names in the secret store, and the files that they become. */}}
{{- define "node.secrets" -}}
nodekey: nodekey
accountKeystore: accountKeystore
accountPassword: accountPassword
{{- if .Values.quorumFlags.privacy }}
tmkey: tm.key
tmkeypub: tm.pub
{{- if .Values.node.tessera.password }}
tmpassword: tm.password
{{- end }}
{{- end }}
{{- end -}}
