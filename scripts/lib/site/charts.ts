import { renderMermaidSVG } from 'beautiful-mermaid'

/** A chart of a page as a picture, and where that is on the site. */
export type Chart = { path: string; svg: string }

/** A page's `mermaid` blocks as pictures, in place of the text that GitHub draws by itself. */
export function drawCharts(route: string, text: string): { text: string; charts: Chart[] } {
  const charts: Chart[] = []
  const drawn = text.replaceAll(/^```mermaid\n([\s\S]*?)^```$/gm, (_, source: string) => {
    const path = `charts/${route.replaceAll('/', '-')}-${charts.length + 1}.svg`
    charts.push({ path, svg: svgOf(source) })
    return `![The chart of this section](/${path})`
  })
  return { text: drawn, charts }
}

/** On white, as the site may be dark, and without the font that would be fetched from elsewhere. */
const svgOf = (source: string) =>
  renderMermaidSVG(source, { bg: '#ffffff', fg: '#222222', font: 'system-ui' }).replaceAll(/^\s*@import .*\n/gm, '')
