/** Its style sheet, as text. */
declare module 'uplot/dist/uPlot.min.css' {
  const css: string;
  export default css;
}
