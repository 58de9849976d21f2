{{- define "byway.name" -}}
{{- if contains "byway" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-byway" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "byway.selector" -}}
app.kubernetes.io/name: byway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "byway.labels" -}}
{{ include "byway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "byway.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* The value of a variable as it is read: numbers without an exponent; of what YAML takes for true and false (on, off, yes)
what the variable has instead. */ -}}
{{- define "byway.variable" -}}
{{- $value := .value }}
{{- if kindIs "bool" $value }}
{{- if eq .name "BYWAY_BILLING" }}{{ ternary "on" "off" $value }}{{ else }}{{ ternary "1" "0" $value }}{{ end }}
{{- else if and (kindIs "float64" $value) (eq (floor $value) $value) }}{{ printf "%.0f" $value }}
{{- else }}{{ $value }}
{{- end }}
{{- end }}

{{- /* In seconds: until no more requests arrive, then to drain and to end what is left. */ -}}
{{- define "byway.grace" -}}
{{- with .Values.terminationGracePeriodSeconds }}{{ . | int }}
{{- else }}{{ add 15 (div (add 999 (get .Values.env "BYWAY_DRAIN_MS" | default 25000 | int)) 1000) }}
{{- end }}
{{- end }}

{{- define "byway.probe" -}}
path: {{ .path }}
port: http
{{- if .tls }}
scheme: HTTPS
{{- end }}
{{- end }}
