package dev.rota.erasure.internal;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.erasure.TenantEraser;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Builds an eraser: holds the settings with their defaults, and checks them. Not thread-safe. */
public final class EraserBuilder implements TenantEraser.Builder {

  private final Rota rota;
  private @Nullable Archive archive;
  private boolean closing;
  private Duration patience = Duration.ofSeconds(60);

  public EraserBuilder(Rota rota) {
    this.rota = rota;
  }

  @Override
  public EraserBuilder archive(Archive to) {
    archive = to;
    return this;
  }

  @Override
  public EraserBuilder closing(boolean close) {
    closing = close;
    return this;
  }

  @Override
  public EraserBuilder patience(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("patience is " + longest + "; use zero or more");
    }
    patience = longest;
    return this;
  }

  @Override
  public TenantEraser build() {
    ErasureConfig config = new ErasureConfig(rota, archive, closing, patience);
    return tenant -> new Erasure(config).run(tenant);
  }
}
