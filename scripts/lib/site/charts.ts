import { renderMermaidSVG } from 'beautiful-mermaid'

/** Picture of a chart, with its path on the site. */
export type Chart = { path: string; svg: string }

/** Replaces `mermaid` blocks by pictures. GitHub draws the blocks itself. */
export function drawCharts(route: string, text: string): { text: string; charts: Chart[] } {
  const charts: Chart[] = []
  const drawn = text.replaceAll(/^```mermaid\n([\s\S]*?)^```$/gm, (_, source: string) => {
    const path = `charts/${route.replaceAll('/', '-')}-${charts.length + 1}.svg`
    charts.push({ path, svg: svgOf(source) })
    return `![The chart of this section](/${path})`
  })
  return { text: drawn, charts }
}

/** White background for dark mode, and no font from another server. */
const svgOf = (source: string) =>
  renderMermaidSVG(source, { bg: '#ffffff', fg: '#222222', font: 'system-ui' }).replaceAll(/^\s*@import .*\n/gm, '')
