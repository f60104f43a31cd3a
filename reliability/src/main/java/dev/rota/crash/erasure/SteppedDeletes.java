package dev.rota.crash.erasure;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.StoreAround;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** A store that reports the steps of an eraser, each before and after it is done. */
final class SteppedDeletes extends StoreAround {

  private final Consumer<String> steps;

  SteppedDeletes(ObjectStore store, Consumer<String> steps) {
    super(store);
    this.steps = steps;
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    steps.accept("before listing objects");
    List<StoredObject> found = super.list(prefix);
    steps.accept("after listing objects");
    return found;
  }

  @Override
  public void delete(String key) throws IOException {
    steps.accept("before deleting an object");
    super.delete(key);
    steps.accept("after deleting an object");
  }
}
