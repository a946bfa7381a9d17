import { renderMermaidSVG } from 'beautiful-mermaid'

/** A chart of a page as an SVG picture, with the picture's path on the documentation site. */
export type Chart = { path: string; svg: string }

/**
 * Replaces the `mermaid` blocks of a page by pictures for the documentation site. GitHub draws `mermaid` blocks itself.
 */
export function drawCharts(route: string, text: string): { text: string; charts: Chart[] } {
  const charts: Chart[] = []
  const drawn = text.replaceAll(/^```mermaid\n([\s\S]*?)^```$/gm, (_, source: string) => {
    const path = `charts/${route.replaceAll('/', '-')}-${charts.length + 1}.svg`
    charts.push({ path, svg: svgOf(source) })
    return `![The chart of this section](/${path})`
  })
  return { text: drawn, charts }
}

/** Draws a chart for light and dark mode, without a font from another server. */
const svgOf = (source: string) =>
  renderMermaidSVG(source, { bg: '#ffffff', fg: '#222222', font: 'system-ui' }).replaceAll(/^\s*@import .*\n/gm, '')
