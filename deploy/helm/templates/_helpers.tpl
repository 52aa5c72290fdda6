{{- define "footnote.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "footnote.selector" -}}
app.kubernetes.io/name: footnote
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "footnote.labels" -}}
{{ include "footnote.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* Where files are kept: a claim that is shared, or a bucket; pods have no disk that lasts. */}}
{{- define "footnote.originals" -}}
{{- $keep := .Values.settings.KEEP_ORIGINALS | default "true" | toString | lower -}}
{{- if not (or .Values.originals.existingClaim .Values.settings.ORIGINALS_S3_BUCKET (has $keep (list "false" "0"))) -}}
{{- fail "Say where originals are kept: originals.existingClaim, or settings.ORIGINALS_S3_BUCKET, or settings.KEEP_ORIGINALS: \"false\"" -}}
{{- end -}}
{{- end }}

{{/* What all pods have in common, around the containers. */}}
{{- define "footnote.pod" -}}
{{- include "footnote.originals" .root -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: originals
    {{- if .root.Values.originals.existingClaim }}
    persistentVolumeClaim:
      claimName: {{ .root.Values.originals.existingClaim }}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}

{{/* What all containers have in common, besides their name and command. */}}
{{- define "footnote.container" -}}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml (index .root.Values .component).resources | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: originals
    mountPath: /srv/footnote/originals
envFrom:
  - secretRef:
      name: {{ .root.Values.secrets.existing }}
env:
  - name: ALLOWED_HOSTS
    value: {{ .root.Values.host | quote }}
  - name: PUBLIC_URL
    value: {{ printf "https://%s" .root.Values.host | quote }}
  - name: BEHIND_PROXY
    value: "true"
  {{- range $name, $value := .root.Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}
