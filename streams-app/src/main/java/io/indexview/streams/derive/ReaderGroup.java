package io.indexview.streams.derive;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.Projection;
import io.indexview.views.derive.RecordDecoder;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.avro.Schema;

/** The generations that read records with one schema: a record is decoded once for all of them. */
final class ReaderGroup {
  private final RecordDecoder decoder;
  private final List<ViewPlan> views;

  private ReaderGroup(RecordDecoder decoder, List<ViewPlan> views) {
    this.decoder = decoder;
    this.views = views;
  }

  static ReaderGroup of(
      List<FrozenGeneration> generations,
      RecordFormat format,
      IntFunction<Schema> schemasById,
      AppMetrics metrics) {
    List<ViewGeneration> definitions =
        generations.stream().map(FrozenGeneration::generation).toList();
    Schema reader = Projection.of(definitions.get(0).recordSet().schema(), definitions);
    return new ReaderGroup(
        new RecordDecoder(format, reader, schemasById),
        generations.stream()
            .map(
                frozen ->
                    new ViewPlan(
                        frozen,
                        CompiledView.compile(frozen.generation(), reader),
                        metrics.view(frozen.view(), frozen.number())))
            .toList());
  }

  List<ViewPlan> views() {
    return views;
  }

  /**
   * @param entry null: no record
   */
  DecodedRecord decode(Entry entry) {
    if (entry == null || entry.deleted()) {
      return DecodedRecord.NONE;
    }
    if (entry.value() == null) {
      return DecodedRecord.failed(
          new DerivationException("the record is too large to be kept in the state"));
    }
    try {
      return DecodedRecord.of(decoder.decode(entry.value()));
    } catch (DerivationException e) {
      return DecodedRecord.failed(e);
    }
  }
}
