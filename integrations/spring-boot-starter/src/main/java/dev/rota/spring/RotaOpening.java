package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.SchemaMissingException;
import dev.rota.internal.DefaultRota;
import dev.rota.spi.PayloadCodec;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Opens the Rota of the application: builds it, readies its schema and registers its tenants. */
final class RotaOpening {

  private final RotaProperties properties;
  private final ObjectProvider<PayloadCodec> codec;
  private final ObjectProvider<RotaCustomizer<Rota.Builder>> customizers;

  RotaOpening(
      RotaProperties properties,
      ObjectProvider<PayloadCodec> codec,
      ObjectProvider<RotaCustomizer<Rota.Builder>> customizers) {
    this.properties = properties;
    this.codec = codec;
    this.customizers = customizers;
  }

  Rota open(DataSource given) {
    DataSource dataSource = withoutTransactions(given);
    Rota rota = build(dataSource);
    try {
      ready(rota);
    } catch (RuntimeException | Error e) {
      rota.close();
      throw e;
    }
    return properties.isJoinTransactions() ? JoiningCalls.over(rota, dataSource) : rota;
  }

  /** The transactions of Rota itself must not become part of the caller's. */
  private static DataSource withoutTransactions(DataSource given) {
    return given instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : given;
  }

  private Rota build(DataSource dataSource) {
    Rota.Builder builder =
        Rota.builder(dataSource)
            .schema(properties.getSchema())
            .lease(properties.getLease())
            .payloadLimit(properties.getPayloadLimit())
            .retry(properties.getRetry().policy());
    codec.ifAvailable(builder::payloadCodec);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }

  private void ready(Rota rota) {
    switch (properties.getMigrate()) {
      case TRUE -> rota.admin().migrate();
      case CHECK -> check(rota);
      case FALSE -> {}
    }
    if (!properties.getTenants().isEmpty()) {
      rota.tenants().registerAll(properties.getTenants());
    }
  }

  private void check(Rota rota) {
    rota.admin().summary();
    if (DefaultRota.isSchemaBehind(rota)) {
      throw new SchemaMissingException(
          "schema '"
              + properties.getSchema()
              + "' is older than this library; run the migration first");
    }
  }
}
