"""Stack for the people on watch: one dashboard, and alarms that reach them."""

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk import aws_cloudwatch_actions as actions
from constructs import Construct

from infra.constructs.alarm_topic import AlarmTopic
from infra.constructs.alarms import Alarms
from infra.constructs.dashboard import Shown, make_dashboard
from infra.constructs.log_queries import LogQueries
from infra.constructs.metrics import domain_metrics
from infra.deployment import Deployment
from infra.stacks.service import CANARY, ServiceStack
from infra.stacks.stateful import StatefulStack
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.tables import RECEIPTS, RECORDS


class ObservabilityStack(Stack):
    """Alarms for what the product promises and for what it stands on, saved queries, a dashboard of both."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        *,
        stateful: StatefulStack,
        service: ServiceStack,
    ) -> None:
        super().__init__(
            scope,
            id,
            env=Environment(region=deployment.region),
            description=f"Memory Layer, {deployment.profile}: dashboard, alarms, saved queries",
        )
        topic = AlarmTopic(self, "AlarmTopic", deployment)
        parts = self._parts(deployment, stateful, service, topic)
        self._add_alarms(deployment, stateful, topic, parts)
        dashboard = make_dashboard(self, deployment, parts)
        CfnOutput(self, "DashboardName", value=dashboard.dashboard_name)
        CfnOutput(self, "AlarmTopicArn", value=topic.topic.topic_arn)

    def _parts(
        self, deployment: Deployment, stateful: StatefulStack, service: ServiceStack, topic: AlarmTopic
    ) -> Shown:
        functions = {**stateful.functions, **service.functions}
        callers = [function.name for function in deployment.functions if function.tags or function.routes]
        groups = {name: function.log_group.log_group_name for name, function in functions.items()}
        saved = LogQueries(self, "LogQueries", deployment.title, groups, callers)
        streamed = {f.name: f.stream for f in deployment.functions if f.stream is not None}
        (projector,) = (name for name, lane in streamed.items() if lane is not RECEIPTS)
        (sweeper,) = (name for name in {schedule.function for schedule in SCHEDULES} if name != CANARY)
        undelivered = {} if topic.undelivered is None else {"alarms": topic.undelivered}
        return Shown(
            api_id=service.api.api_id,
            table=stateful.tables[RECORDS.name].table_name,
            operations=service.api.operations,
            functions=functions,
            callers=callers,
            projector=projector,
            sweeper=sweeper,
            queues={**service.queues, **undelivered},
            waiting=service.waiting,
            domain={} if stateful.search is None else domain_metrics(stateful.search.name),
            log_widgets=saved.widgets(),
        )

    def _add_alarms(
        self, deployment: Deployment, stateful: StatefulStack, topic: AlarmTopic, parts: Shown
    ) -> None:
        if deployment.alarms == "none":
            return
        alarms = Alarms(self, "Alarms", deployment, actions.SnsAction(topic.topic))
        alarms.of_api(parts.api_id)
        alarms.of_canary()
        alarms.of_answers()
        alarms.of_throttles({name: parts.functions[name] for name in parts.callers}, [parts.table])
        for claims in stateful.functions.values():
            alarms.of_claims(claims)
        for name, queue in parts.queues.items():
            alarms.of_queue(name, queue)
        for name, queue in parts.waiting.items():
            alarms.of_waiting(name, queue)
        alarms.of_projection(parts.projector, parts.functions[parts.projector])
        for function in deployment.functions:
            if function.stream is RECEIPTS:
                alarms.of_counting(parts.functions[function.name])
        alarms.of_sweeps(parts.sweeper)
        if parts.domain:
            alarms.of_domain(parts.domain, deployment.sizes.search_volume_gb)
