import type * as Esbuild from 'esbuild'

/** A program and the platform under it, before it is compiled. */
export interface SmallBundle {
  /** One ES module. */
  text: string
  /** Its source map. Sources are relative to the folder of `outfile`. */
  map: string
  metafile: Esbuild.Metafile
  warnings: readonly Esbuild.Message[]
}
