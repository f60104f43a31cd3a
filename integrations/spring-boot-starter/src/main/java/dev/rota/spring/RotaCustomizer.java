package dev.rota.spring;

/**
 * Changes what the starter builds, for settings that have no property. Declare a bean for each
 * builder: {@code RotaCustomizer<Rota.Builder>}, {@code RotaCustomizer<Worker.Builder>} or {@code
 * RotaCustomizer<RotationDaemon.Builder>}.
 *
 * <pre>{@code
 * @Bean
 * RotaCustomizer<Worker.Builder> batches(Index index) {
 *   return worker -> worker.handleBatch("search.index", index::addAll);
 * }
 * }</pre>
 *
 * <p>Customizers run in their order, after the properties and the annotated methods.
 *
 * @param <B> the type of the builder
 */
@FunctionalInterface
public interface RotaCustomizer<B> {

  /**
   * Changes a builder.
   *
   * @param builder the builder, with the settings of the properties
   */
  void customize(B builder);
}
